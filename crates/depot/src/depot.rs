//! The depot: an address, and the machinery to wait for what is there.

use std::fmt;
use std::future::Future;

use tokio::runtime::{Builder, Runtime};

use crate::{DepotError, Object, address, object::Objects};

/// A place on object storage where the generations of one collection lie.
pub struct Depot {
    pub(crate) objects: Objects,
    runtime: Runtime,
}

/// Without what the store knows: that includes the credentials.
impl fmt::Debug for Depot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Depot").field(&self.address()).finish()
    }
}

impl Depot {
    /// Opens the depot at `s3://bucket/prefix` or `file:///folder`; nothing is
    /// asked of it yet. Server, region and credentials are taken from the
    /// `AWS_*` variables of the environment and from nowhere else.
    ///
    /// # Errors
    ///
    /// When the address cannot be understood, or there are no credentials.
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
            .map_err(|error| DepotError::Io {
                path: "threads".into(),
                error,
            })?;
        Ok(Depot { objects, runtime })
    }

    /// The address as it was given.
    pub fn address(&self) -> &str {
        &self.objects.depot
    }

    /// All objects whose names begin with a folder's, in the order of their
    /// names; all objects for an empty one.
    ///
    /// # Errors
    ///
    /// When the store cannot be asked.
    pub fn list(&self, folder: &str) -> Result<Vec<Object>, DepotError> {
        self.wait(self.objects.list(folder))
    }

    /// The bytes of an object.
    ///
    /// # Errors
    ///
    /// When it is not there, or the store cannot be asked.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, DepotError> {
        self.wait(self.objects.get(name))
    }

    /// Writes an object, in place of another if need be.
    ///
    /// # Errors
    ///
    /// When the store refuses it or cannot be asked.
    pub fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), DepotError> {
        self.wait(self.objects.put(name, bytes.into()))
    }

    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}
