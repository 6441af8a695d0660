//! What to renew, and when. Nothing here waits or sends.

use std::time::{Duration, SystemTime};

use rustls::crypto::CryptoProvider;

use super::{
    authority::{Authority, renewal_time},
    error::CertificateError,
    serving::ServingCertificate,
    stored::Stored,
    x509::Certificate,
};

#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The DNS names and IP addresses of the servers.
    pub(super) names: Vec<String>,
    pub(super) authority_validity: Duration,
    pub(super) validity: Duration,
}

/// What a replica does with what is stored.
pub(super) enum Next {
    /// It presents the stored certificate, and nothing is renewed before this time.
    Keep(ServingCertificate, SystemTime),
    /// It stores this, for this reason.
    Write(Stored, &'static str),
}

/// Decides what to do. `is_trusted` is whether all API servers trust the newest authority.
pub(super) fn next(
    stored: Option<&Stored>,
    settings: &Settings,
    now: SystemTime,
    is_trusted: bool,
    provider: &CryptoProvider,
) -> Result<Next, CertificateError> {
    let Some(stored) = stored else {
        return new_authority(None, Vec::new(), settings, now, "there was none");
    };
    let is_left = |authority: &&Certificate| authority.not_after > now;
    let left: Vec<_> = stored.authorities.iter().filter(is_left).cloned().collect();
    let newest = stored
        .authorities
        .first()
        .filter(|authority| authority.is_valid_at(now))
        .and_then(|newest| Authority::load(newest, &stored.authority_key));
    let serving = ServingCertificate::from_pem(&stored.chain, &stored.key, provider)
        .ok()
        .filter(|serving| serving.is_accepted(&left, &settings.names, now, provider));
    let stored = Stored { authorities: left, ..stored.clone() };
    let issue = |stored: Stored, newest: &Authority, reason| {
        let names = union(&stored.names, &settings.names);
        let issued = newest.issue(&names, now, settings.validity)?;
        Ok(Next::Write(stored.with_issued(issued, names), reason))
    };
    match (newest, serving) {
        (None, serving) => {
            let kept = serving.is_some().then_some(&stored);
            new_authority(kept, stored.authorities.clone(), settings, now, "the authority is invalid or expired")
        }
        (Some(newest), None) => issue(stored, &newest, "the certificate is invalid or expired"),
        (Some(newest), Some(serving)) => {
            let newest_renewal = renewal_time(newest.certificate.not_before, newest.certificate.not_after);
            if now >= newest_renewal {
                let others = stored.authorities.clone();
                return new_authority(Some(&stored), others, settings, now, "the authority expires");
            }
            let serving_renewal = renewal_time(serving.not_before, serving.not_after);
            let newest_only = std::slice::from_ref(&newest.certificate);
            let is_of_newest = serving.is_accepted(newest_only, &settings.names, now, provider);
            match (is_of_newest, is_trusted) {
                (true, _) if now >= serving_renewal => return issue(stored, &newest, "the certificate expires"),
                (false, true) => return issue(stored, &newest, "the new authority is trusted"),
                _ => {}
            }
            let renewal = if is_of_newest { serving_renewal } else { serving.not_after };
            let expiries = stored.authorities.iter().map(|authority| authority.not_after);
            let until = expiries.chain([newest_renewal, renewal]).min().unwrap_or(now);
            Ok(Next::Keep(serving, until))
        }
    }
}

/// Adds an authority. A certificate that is still valid remains until the new authority is trusted.
fn new_authority(
    kept: Option<&Stored>,
    mut authorities: Vec<Certificate>,
    settings: &Settings,
    now: SystemTime,
    reason: &'static str,
) -> Result<Next, CertificateError> {
    let authority = Authority::create(now, settings.authority_validity)?;
    authorities.insert(0, authority.certificate.clone());
    let authority_key = authority.key_pem().into_bytes();
    let stored = match kept {
        Some(kept) => Stored { authorities, authority_key, ..kept.clone() },
        None => {
            let issued = authority.issue(&settings.names, now, settings.validity)?;
            let names = settings.names.clone();
            Stored { authorities, authority_key, chain: issued.chain.into(), key: issued.key.into(), names }
        }
    };
    Ok(Next::Write(stored, reason))
}

/// Names of both.
fn union(one: &[String], other: &[String]) -> Vec<String> {
    let more = other.iter().filter(|name| !one.contains(name));
    one.iter().chain(more).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::crypto::provider;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn settings() -> Settings {
        Settings { names: vec!["machines.operators.svc".into()], authority_validity: 365 * DAY, validity: 90 * DAY }
    }

    fn day(number: u32) -> SystemTime {
        SystemTime::UNIX_EPOCH + (20_000 + number) * DAY
    }

    fn next_on(stored: Option<&Stored>, number: u32, is_trusted: bool) -> Next {
        next(stored, &settings(), day(number), is_trusted, &provider().unwrap()).unwrap()
    }

    #[track_caller]
    fn written(next: Next) -> (Stored, &'static str) {
        match next {
            Next::Write(stored, reason) => (stored, reason),
            Next::Keep(_, until) => panic!("nothing is written until {until:?}"),
        }
    }

    #[track_caller]
    fn kept(next: Next) -> SystemTime {
        match next {
            Next::Keep(_, until) => until,
            Next::Write(_, reason) => panic!("written: {reason}"),
        }
    }

    fn is_accepted(stored: &Stored, authorities: &[Certificate], number: u32) -> bool {
        let provider = provider().unwrap();
        let serving = ServingCertificate::from_pem(&stored.chain, &stored.key, &provider).unwrap();
        serving.is_accepted(authorities, &settings().names, day(number), &provider)
    }

    /// What happens in two years, with an API server that trusts a new authority at once, or never.
    fn two_years(is_trusted: bool) -> Vec<(u32, usize, &'static str)> {
        let (mut stored, _) = written(next_on(None, 0, false));
        let mut writes = Vec::new();
        for number in 0..730 {
            while let Next::Write(new, reason) = next_on(Some(&stored), number, is_trusted) {
                // Whichever of both a replica presents, clients with either bundle trust it.
                let is_forced = reason.contains("expired");
                for bundle in [&stored.authorities, &new.authorities] {
                    assert!(is_forced || is_accepted(&new, bundle, number), "{number} {reason}");
                    assert!(is_forced || is_accepted(&stored, bundle, number), "{number} {reason}");
                }
                writes.push((number, new.authorities.len(), reason));
                stored = new;
            }
            assert!(is_accepted(&stored, &stored.authorities, number));
        }
        writes
    }

    #[test]
    fn certificates_and_authorities_are_renewed_before_they_expire() {
        assert_eq!(
            two_years(true),
            [
                (60, 1, "the certificate expires"),
                (120, 1, "the certificate expires"),
                (180, 1, "the certificate expires"),
                (240, 1, "the certificate expires"),
                (244, 2, "the authority expires"),
                (244, 2, "the new authority is trusted"),
                (304, 2, "the certificate expires"),
                (364, 2, "the certificate expires"),
                (424, 1, "the certificate expires"),
                (484, 1, "the certificate expires"),
                (488, 2, "the authority expires"),
                (488, 2, "the new authority is trusted"),
                (548, 2, "the certificate expires"),
                (608, 2, "the certificate expires"),
                (668, 1, "the certificate expires"),
                (728, 1, "the certificate expires"),
            ]
        );
    }

    #[test]
    fn without_trust_the_certificate_remains_until_it_expires() {
        let writes = two_years(false);
        let expected = [(244, 2, "the authority expires"), (330, 2, "the certificate is invalid or expired")];
        assert_eq!(writes[4..6], expected);
    }

    #[test]
    fn a_damaged_secret_is_repaired() {
        let (stored, _) = written(next_on(None, 0, true));
        assert_eq!(kept(next_on(Some(&stored), 0, true)), day(60));
        let (repaired, _) = written(next_on(Some(&Stored { key: b"text".to_vec(), ..stored.clone() }), 1, true));
        assert_eq!(repaired.authorities, stored.authorities);
        assert!(is_accepted(&repaired, &stored.authorities, 1));

        // The old authority stays in the bundle, and the certificate is used until the new one is trusted.
        let no_key = Stored { authority_key: Vec::new(), ..stored.clone() };
        let (repaired, _) = written(next_on(Some(&no_key), 1, true));
        assert_eq!(repaired.authorities[1..], stored.authorities);
        assert_eq!(repaired.chain, stored.chain);

        let nothing = Stored { authorities: Vec::new(), ..stored.clone() };
        let (repaired, _) = written(next_on(Some(&nothing), 1, true));
        assert_eq!(repaired.authorities.len(), 1);
        assert!(is_accepted(&repaired, &repaired.authorities, 1));
    }

    #[test]
    fn other_names_need_another_certificate() {
        let (stored, _) = written(next_on(None, 0, true));
        let settings = Settings { names: vec!["other.operators.svc".into()], ..settings() };
        let (renamed, reason) = written(next(Some(&stored), &settings, day(1), false, &provider().unwrap()).unwrap());
        assert_eq!(reason, "the certificate is invalid or expired");
        assert_eq!(renamed.authorities, stored.authorities);
        // Replicas with the old names and with the new ones agree on it.
        assert_eq!(renamed.names, ["machines.operators.svc", "other.operators.svc"]);
        kept(next_on(Some(&renamed), 1, false));
        kept(next(Some(&renamed), &settings, day(1), false, &provider().unwrap()).unwrap());
    }
}
