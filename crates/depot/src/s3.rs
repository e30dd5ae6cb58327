//! Buckets of Amazon S3 and of servers that speak its protocol.

use std::{env, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, RetryConfig, aws::AmazonS3Builder,
    aws::S3ConditionalPut,
};

use crate::error::{DepotError, without_secrets};

/// Give up on an unreachable server after seconds, not minutes.
const RETRIES: usize = 5;
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For one request of at most 8 MiB.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(180);

/// Opens a bucket.
pub(crate) fn open(bucket: &str) -> Result<impl ObjectStore, DepotError> {
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
