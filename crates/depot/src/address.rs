//! The address of a depot: `s3://bucket/prefix` or `file:///folder`.

use std::{env, sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, aws::AmazonS3Builder,
    aws::S3ConditionalPut, local::LocalFileSystem, path::Path, prefix::PrefixStore,
};
use url::Url;

use crate::error::{DepotError, without_secrets};

/// Give up on an unreachable server after seconds, not minutes.
const RETRIES: usize = 5;
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For one request of at most 8 MiB.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);

/// Opens the store at an address.
pub(crate) fn open(address: &str) -> Result<Arc<dyn ObjectStore>, DepotError> {
    let wrong = |what: &str| DepotError::Address(what.to_owned());
    let url = Url::parse(address).map_err(|_| wrong("the address is not a URL"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("credentials do not belong in an address"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("an address must not contain ? or #"));
    }
    match url.scheme() {
        "s3" => {
            let bucket = url.host_str().filter(|it| !it.is_empty());
            let bucket = bucket.ok_or_else(|| wrong("the address has no bucket"))?;
            let prefix = Path::from_url_path(url.path())
                .map_err(|_| wrong("the part after the bucket is not a valid path"))?;
            Ok(Arc::new(PrefixStore::new(s3(bucket)?, prefix)))
        }
        "file" => {
            let folder = url.to_file_path();
            let folder = folder.map_err(|()| wrong("the folder must be an absolute path"))?;
            let prefix = Path::from_absolute_path(folder)
                .map_err(|_| wrong("the folder must be an absolute path"))?;
            let files = LocalFileSystem::new().with_fsync(true);
            Ok(Arc::new(PrefixStore::new(files, prefix)))
        }
        _ => Err(wrong("the address must start with s3:// or file://")),
    }
}

fn s3(bucket: &str) -> Result<impl ObjectStore, DepotError> {
    if !has_credentials() {
        return Err(DepotError::NoCredentials);
    }
    let endpoint = endpoint();
    if endpoint.as_ref().is_some_and(|it| it.contains('@')) {
        let what = "credentials do not belong in AWS_ENDPOINT_URL";
        return Err(DepotError::Address(what.to_owned()));
    }
    // Only the first call has an effect; any installed provider will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let is_plain = endpoint.is_some_and(|it| it.starts_with("http://"));
    let client = ClientOptions::new()
        .with_connect_timeout(CONNECT_TIMEOUT)
        .with_timeout(REQUEST_TIMEOUT)
        .with_allow_http(is_plain);
    AmazonS3Builder::from_env()
        .with_bucket_name(bucket)
        .with_client_options(client)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_retry(patience())
        .build()
        .map_err(|error| DepotError::Address(without_secrets(&error.to_string())))
}

fn patience() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            max_backoff: LONGEST_PAUSE,
            ..BackoffConfig::default()
        },
        max_retries: RETRIES,
        retry_timeout: RETRY_TIMEOUT,
    }
}

/// The address of a server other than Amazon's.
fn endpoint() -> Option<String> {
    let variables = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
    variables.iter().find_map(|it| env::var(it).ok())
}

/// Whether the environment has credentials. Without them, the library would query the
/// network for minutes.
fn has_credentials() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|it| !it.is_empty());
    is_set("AWS_ACCESS_KEY_ID") && is_set("AWS_SECRET_ACCESS_KEY")
        || is_set("AWS_WEB_IDENTITY_TOKEN_FILE") && is_set("AWS_ROLE_ARN")
        || is_set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
        || is_set("AWS_CONTAINER_CREDENTIALS_FULL_URI")
        || env::var("AWS_SKIP_SIGNATURE").is_ok_and(|it| it == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_addresses_are_rejected_with_a_reason() {
        #[track_caller]
        fn check(address: &str, reason: &str) {
            let error = open(address).err().unwrap().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        check("", "not a URL");
        check("games", "not a URL");
        check("http://host/bucket", "start with s3:// or file://");
        check("s3:///prefix", "has no bucket");
        check("s3://key:secret@bucket/prefix", "credentials do not belong");
        check("s3://bucket/prefix?secret=1", "must not contain ? or #");
        check("file://host/folder", "an absolute path");
        assert!(open("file:///a%20folder/that/is/not/there").is_ok());
    }
}
