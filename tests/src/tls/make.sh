#!/bin/sh
# Makes the certificates of this folder: two servers of one authority, and one of another. Nobody but tests trusts them, so
# the keys are no secrets. They hold for a hundred years, in the past too, for machines whose clocks are wrong.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/config" <<CONFIG
[ca]
default_ca = any
[any]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = policy
[policy]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[server]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1, DNS:localhost
CONFIG

request() { # request NAME
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -out "$work/$1.csr" \
        -subj "/CN=crdkit tests $1"
}

sign() { # sign NAME EXTENSIONS KEY [OPTION]...
    : >"$work/index"
    name=$1 extensions=$2 key=$3
    shift 3
    openssl ca -batch -notext -config "$work/config" -in "$work/$name.csr" -out "$work/$name.crt" -keyfile "$key" \
        -extensions "$extensions" -startdate 20200101000000Z -enddate 21200101000000Z "$@"
}

authority() { # authority NAME
    request "$1"
    sign "$1" authority "$work/$1.key" -selfsign
}

server() { # server NAME AUTHORITY
    request "$1"
    sign "$1" server "$work/$2.key" -cert "$work/$2.crt"
    cp "$work/$1.crt" "$work/$1.key" .
}

authority authority
authority stranger
server first authority
server renewed authority
server strange stranger
cp "$work/authority.crt" .
