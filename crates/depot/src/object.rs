//! Reads, writes and lists the objects of a depot. Errors name the object.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, path::Path,
};

use crate::{DepotError, Transfer, error::Place, manifest::Unreadable};

/// The size of a transferred part: large enough to be fast, small enough to retry. Amazon
/// requires at least 5 MiB.
pub(crate) const PART: usize = 8 << 20;

/// An object of a depot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// The name, without the depot's prefix.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
}

/// The objects under a depot's prefix.
#[derive(Clone)]
pub(crate) struct Objects {
    pub(crate) depot: String,
    pub(crate) store: Arc<dyn ObjectStore>,
}

impl Objects {
    /// The size of an object, if it exists.
    pub(crate) async fn size(&self, name: &str) -> Result<Option<u64>, DepotError> {
        match self.store.head(&self.path(name)?).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(error) => match self.failed(name)(error) {
                DepotError::Missing { .. } => Ok(None),
                error => Err(error),
            },
        }
    }

    pub(crate) async fn get(&self, name: &str) -> Result<Vec<u8>, DepotError> {
        let path = self.path(name)?;
        let found = self.store.get_opts(&path, GetOptions::default()).await;
        let found = found.map_err(self.failed(name))?;
        let size = found.meta.size;
        if size <= PART as u64 {
            let bytes = found.bytes().await;
            return Ok(bytes.map_err(self.failed(name))?.into());
        }
        // Read large objects in parts, each with its own timeout and retries.
        drop(found);
        let mut bytes = Vec::new();
        for start in (0..size).step_by(PART) {
            let range = start..size.min(start + PART as u64);
            bytes.extend_from_slice(&self.get_range(name, range).await?);
        }
        Ok(bytes)
    }

    pub(crate) async fn get_range(
        &self,
        name: &str,
        range: Range<u64>,
    ) -> Result<Bytes, DepotError> {
        let found = self.store.get_range(&self.path(name)?, range).await;
        found.map_err(self.failed(name))
    }

    /// Writes an object, replacing any existing one.
    pub(crate) async fn put(&self, name: &str, bytes: Bytes) -> Result<(), DepotError> {
        let put = self.store.put(&self.path(name)?, bytes.into()).await;
        put.map(drop).map_err(self.failed(name))
    }

    /// Writes an object unless the name is taken; returns whether it did.
    pub(crate) async fn put_new(&self, name: &str, bytes: Bytes) -> Result<bool, DepotError> {
        let options = PutOptions::from(PutMode::Create);
        let path = self.path(name)?;
        let put = self.store.put_opts(&path, bytes.into(), options).await;
        match put {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(self.failed(name)(error)),
        }
    }

    /// Writes an object in parts. It becomes visible when it is complete.
    pub(crate) async fn put_in_parts(
        &self,
        name: &str,
        bytes: Bytes,
        transfer: &Transfer,
    ) -> Result<(), DepotError> {
        let length = bytes.len();
        if length <= PART {
            transfer.unless_canceled(self.put(name, bytes)).await?;
            transfer.advance(length as u64);
            return Ok(());
        }
        let upload = self.store.put_multipart(&self.path(name)?).await;
        let mut upload = upload.map_err(self.failed(name))?;
        for start in (0..length).step_by(PART) {
            let part = bytes.slice(start..length.min(start + PART));
            let size = part.len() as u64;
            let put = upload.put_part(PutPayload::from(part));
            let put = async { put.await.map_err(self.failed(name)) };
            if let Err(error) = transfer.unless_canceled(put).await {
                // Abandoned parts take space; remove them if the server still answers.
                let _ = upload.abort().await;
                return Err(error);
            }
            transfer.advance(size);
        }
        let whole = upload.complete().await;
        if whole.is_err() {
            let _ = upload.abort().await;
        }
        whole.map(drop).map_err(self.failed(name))
    }

    /// The objects in a folder.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<Object>, DepotError> {
        let path = self.path(folder)?;
        let all = self.store.list(Some(&path));
        let all = all.map_ok(|meta| Object {
            name: meta.location.to_string(),
            bytes: meta.size,
        });
        let mut all: Vec<Object> = all.try_collect().await.map_err(self.failed(folder))?;
        all.sort();
        Ok(all)
    }

    pub(crate) fn damaged(&self, name: &str, what: impl Into<String>) -> DepotError {
        DepotError::Damaged(self.place(name), what.into())
    }

    pub(crate) fn unreadable(&self, name: &str, why: Unreadable) -> DepotError {
        match why {
            Unreadable::Damaged(what) => self.damaged(name, what),
            Unreadable::OtherVersion(found) => DepotError::OtherVersion(self.place(name), found),
        }
    }

    pub(crate) fn incomplete(&self, name: &str) -> DepotError {
        DepotError::Incomplete(self.place(name))
    }

    pub(crate) fn place(&self, name: &str) -> Place {
        Place {
            depot: self.depot.clone(),
            name: name.to_owned(),
        }
    }

    fn path(&self, name: &str) -> Result<Path, DepotError> {
        let what = "not a valid object name";
        Path::parse(name).map_err(|_| DepotError::Store(self.place(name), what.to_owned()))
    }

    fn failed(&self, name: &str) -> impl Fn(Error) -> DepotError + '_ {
        let place = self.place(name);
        move |error| DepotError::of_store(place.clone(), &error)
    }
}
