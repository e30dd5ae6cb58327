//! A store that fails on demand, and collections to upload.

use std::{
    fmt, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, memory::InMemory,
    path,
};
use tabiya_chess::pgn::Input;
use tabiya_retrieval::collection::{Import, Progress};

use crate::{Depot, object::Objects};

/// A store in memory that fails after a given number of requests.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) inner: InMemory,
    requests: AtomicI64,
}

impl Faulty {
    /// A depot over a faulty store, and the store.
    pub(crate) fn depot() -> (Depot, Arc<Faulty>) {
        let store = Arc::new(Faulty {
            inner: InMemory::new(),
            requests: AtomicI64::new(i64::MAX),
        });
        let objects = Objects {
            depot: "memory".to_owned(),
            store: store.clone(),
        };
        (Depot::with(objects).unwrap(), store)
    }

    /// Fails after the next `requests` requests.
    pub(crate) fn fail_after(&self, requests: i64) {
        self.requests.store(requests, Ordering::Relaxed);
    }

    pub(crate) fn work_again(&self) {
        self.fail_after(i64::MAX);
    }

    fn request(&self) -> Result<()> {
        if self.requests.fetch_sub(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        let source = io::Error::from(io::ErrorKind::ConnectionReset).into();
        Err(Error::Generic {
            store: "test",
            source,
        })
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a store that fails on demand")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        location: &path::Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.request()?;
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &path::Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.request()?;
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &path::Path, options: GetOptions) -> Result<GetResult> {
        self.request()?;
        self.inner.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<path::Path>>,
    ) -> BoxStream<'static, Result<path::Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&path::Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.request() {
            Ok(()) => self.inner.list(prefix),
            Err(error) => Box::pin(futures_util::stream::iter([Err(error)])),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&path::Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &path::Path,
        to: &path::Path,
        options: CopyOptions,
    ) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// Makes a collection of segments with one game each; other `first` numbers make other
/// games.
pub(crate) fn make_collection(folder: &Path, first: usize, segments: usize) {
    let pgn = folder.with_extension("pgn");
    for number in first..first + segments {
        let text = format!("[White \"Player {number}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n");
        std::fs::write(&pgn, text).unwrap();
        let import = Import {
            skip: Some(2),
            ..Import::new(vec![Input::File(pgn.clone())])
        };
        let report = import.run(folder, &Progress::default()).unwrap();
        assert_eq!(report.games, 1);
    }
}
