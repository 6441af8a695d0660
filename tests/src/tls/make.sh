#!/bin/sh
# Creates the certificates of this folder: two servers and a client of one authority, one of the servers with an
# intermediate certificate, and a server and a client of an authority that clients do not trust; and servers that signed
# their certificates themselves, of which one has another name and one has expired. Only tests trust them, so the keys are not secret. They are valid for a hundred years, also in the past, for machines whose clocks are wrong.
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
subjectAltName = IP:127.0.0.1, DNS:localhost, DNS:webhook.default.svc
[self-signed]
basicConstraints = critical, CA:TRUE
subjectAltName = IP:127.0.0.1, DNS:localhost, DNS:webhook.default.svc
[other-name]
basicConstraints = critical, CA:TRUE
subjectAltName = DNS:other.example.com, IP:192.0.2.1
[client]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = clientAuth
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

issue() { # issue NAME EXTENSIONS AUTHORITY
    request "$1"
    sign "$1" "$2" "$work/$3.key" -cert "$work/$3.crt"
}

authority authority
authority untrusted-authority
issue intermediate authority authority
issue first server authority
issue renewed server intermediate
issue untrusted server untrusted-authority
issue client client authority
issue untrusted-client client untrusted-authority
cat "$work/intermediate.crt" >>"$work/renewed.crt"
for name in self-signed other-name expired; do
    request "$name"
done
sign self-signed self-signed "$work/self-signed.key" -selfsign
sign other-name other-name "$work/other-name.key" -selfsign
sign expired self-signed "$work/expired.key" -selfsign -enddate 20210101000000Z
for name in first renewed untrusted self-signed other-name expired client untrusted-client; do
    cp "$work/$name.crt" "$work/$name.key" .
done
cp "$work/authority.crt" "$work/untrusted-authority.crt" .
