//! The depot: its objects, and a runtime that waits for the store.

use std::fmt;
use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::{DepotError, Object, address, object::Objects};

/// A place in object storage that holds the generations of one collection.
pub struct Depot {
    pub(crate) objects: Objects,
    runtime: Runtime,
}

/// Shows only the address: the store holds credentials.
impl fmt::Debug for Depot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Depot").field(&self.address()).finish()
    }
}

impl Depot {
    /// Opens the depot at `s3://bucket/prefix` or `file:///folder` without contacting it.
    /// Server, region and credentials come only from the `AWS_*` environment variables.
    ///
    /// # Errors
    ///
    /// When the address is invalid or credentials are missing.
    pub fn open(address: &str) -> Result<Depot, DepotError> {
        let store = address::open(address)?;
        let depot = address.trim_end_matches('/').to_owned();
        Depot::with(Objects { depot, store })
    }

    pub(crate) fn with(objects: Objects) -> Result<Depot, DepotError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("depot")
            .enable_all()
            .build()
            .map_err(DepotError::threads)?;
        Ok(Depot { objects, runtime })
    }

    /// The address passed to [`Depot::open`].
    pub fn address(&self) -> &str {
        &self.objects.depot
    }

    /// The objects in a folder by name; all objects if `folder` is empty.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached.
    pub fn list(&self, folder: &str) -> Result<Vec<Object>, DepotError> {
        self.wait(self.objects.list(folder))
    }

    /// The bytes of an object.
    ///
    /// # Errors
    ///
    /// When the object does not exist, or the store cannot be reached.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, DepotError> {
        self.wait(self.objects.get(name))
    }

    /// Writes an object, replacing any existing one.
    ///
    /// # Errors
    ///
    /// When the store rejects the object or cannot be reached.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), DepotError> {
        self.wait(self.objects.put(name, bytes.into()))
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}
