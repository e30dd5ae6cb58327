//! The address of a depot: `s3://bucket/prefix` or `file:///folder`.

use std::sync::Arc;

use object_store::{ObjectStore, local::LocalFileSystem, path::Path, prefix::PrefixStore};
use url::Url;

use crate::{error::DepotError, s3};

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
            Ok(Arc::new(PrefixStore::new(s3::open(bucket)?, prefix)))
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
        #[cfg(not(feature = "s3"))]
        check("s3://bucket/prefix", "--features s3");
        assert!(open("file:///a%20folder/that/is/not/there").is_ok());
    }
}
