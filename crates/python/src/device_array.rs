//! Arrays on a GPU: those of other libraries, and those that go to them.
//!
//! CuPy, PyTorch, Numba and others hand arrays to one another by two protocols: `__dlpack__`, by which
//! the taker names the stream that it reads on, and `__cuda_array_interface__`, an address and the
//! stream that writes there.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use dlpark::ffi::{DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned};
use dlpark::metadata::Dynamic;
use dlpark::python::{
    DlpackExporter, DlpackStream, ExportRequest, ImportRequest, ImportedDlpack, StreamArg,
    consumer::stream, export_dlpack,
};
use dlpark::{DlpackFlags, Managed, ManagedTensorBase};
use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Weight, WeightKind};
use numpy::Element;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sssp::gpu::Indices;

use crate::error::Error;
use crate::how::opened;
use crate::numbers::shaped;
use crate::run::{Quiet, run};

/// The types of numbers that graphs and results are made of, and what numpy, an interface and DLPack
/// call them.
const TYPES: [(WeightKind, &str, &str, DLDataType); 6] = [
    (WeightKind::U32, "uint32", "<u4", DLDataType::U32),
    (WeightKind::I32, "int32", "<i4", DLDataType::I32),
    (WeightKind::U64, "uint64", "<u8", DLDataType::U64),
    (WeightKind::I64, "int64", "<i8", DLDataType::I64),
    (WeightKind::F32, "float32", "<f4", DLDataType::F32),
    (WeightKind::F64, "float64", "<f8", DLDataType::F64),
];

/// Numbers on a GPU.
pub(crate) trait Cells: Send + Sync {
    fn kind(&self) -> WeightKind;
    fn address(&self) -> u64;
    /// A copy in an array of numpy.
    fn get<'py>(&self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>>;
}

impl<T: Weight + Element> Cells for Buffer<T> {
    fn kind(&self) -> WeightKind {
        T::KIND
    }

    fn address(&self) -> u64 {
        Buffer::address(self)
    }

    fn get<'py>(&self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let numbers = run(py, 0, false, |_| Ok(self.download()?))?;
        shaped(py, numbers, shape)
    }
}

/// An array on a GPU, which other libraries take as it is.
///
/// It has `__dlpack__` and `__cuda_array_interface__`: `cupy.asarray`, `torch.from_dlpack` and
/// `numba.cuda.as_cuda_array` make an array of theirs in the same memory, on any stream, for all that
/// was to be computed is there.
///
/// Attributes
/// ----------
/// shape : tuple of int
///     How many numbers it has in each direction.
/// dtype : str
///     Their type, by numpy's name.
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DeviceArray {
    cells: Quiet<Arc<dyn Cells>>,
    shape: Vec<usize>,
    gpu: u32,
}

impl DeviceArray {
    /// Of as many numbers as the shape says, on the GPU of this number.
    pub(crate) fn new(cells: Arc<dyn Cells>, shape: Vec<usize>, gpu: u32) -> Self {
        Self { cells: Quiet::new(cells), shape, gpu }
    }

    /// What the type of its numbers is called.
    fn names(&self) -> (&'static str, &'static str, DLDataType) {
        let known = TYPES.into_iter().find(|known| known.0 == self.cells.kind());
        let (_, name, code, dtype) = known.expect("all are there");
        (name, code, dtype)
    }

    fn tensor<M: ManagedTensorBase>(&self) -> PyResult<Managed<M>> {
        let shape: Vec<i64> = self.shape.iter().map(|&length| length as i64).collect();
        let share = Box::new(Quiet::new(Arc::clone(&self.cells)));
        let mut tensor = Dynamic::compact(&shape[..])
            .initialize_as::<M>(share)
            .map_err(|error| Error::argument(error.to_string()))?;
        tensor
            .set_device(DLDevice::cuda(self.gpu as i32))
            .set_dtype(self.names().2)
            .set_data(ptr::without_provenance_mut(self.cells.address() as usize));
        // SAFETY: the tensor owns a share of the buffer, which has as many numbers of this type as
        // the shape says.
        Ok(unsafe { tensor.finish() })
    }
}

#[pymethods]
impl DeviceArray {
    /// How many numbers it has in each direction.
    #[getter]
    pub(crate) fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Their type, by numpy's name.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.names().0
    }

    /// A copy in an array of numpy.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cells.get(py, &self.shape)
    }

    #[getter(__cuda_array_interface__)]
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", self.names().1)?;
        interface.set_item("data", (self.cells.address(), false))?;
        interface.set_item("strides", py.None())?;
        // the array was complete before Python had it
        interface.set_item("stream", py.None())?;
        Ok(interface)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(u32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        export_dlpack(self, py, ExportRequest::parse(stream, max_version, dl_device, copy)?)
    }

    fn __dlpack_device__(&self) -> (u32, u32) {
        (DLDeviceType::CUDA.0, self.gpu)
    }

    fn __len__(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (shape, dtype, gpu) = (self.shape(py)?.repr()?, self.dtype(), self.gpu);
        Ok(format!("<starpaths.DeviceArray of shape {shape}, {dtype}, on GPU {gpu}>"))
    }
}

impl DlpackExporter for DeviceArray {
    fn device(&self) -> DLDevice {
        DLDevice::cuda(self.gpu as i32)
    }

    fn flags(&self) -> DlpackFlags {
        DlpackFlags::empty()
    }

    fn prepare_export(&self, _: Python<'_>, _: &ExportRequest<'_>) -> PyResult<()> {
        // the array was complete before Python had it
        Ok(())
    }

    fn export_legacy(&self, _: Python<'_>) -> PyResult<Managed<DLManagedTensor>> {
        self.tensor()
    }

    fn export_versioned(&self, _: Python<'_>) -> PyResult<Managed<DLManagedTensorVersioned>> {
        self.tensor()
    }
}

/// An array of another library, which is kept as long as this.
pub(crate) struct Foreign {
    pub(crate) gpu: Gpu,
    address: u64,
    pub(crate) len: usize,
    pub(crate) kind: WeightKind,
    /// Which array it is, for messages.
    what: &'static str,
    _owner: Owner,
}

enum Owner {
    Imported { _tensor: ImportedDlpack },
    Object { _object: Py<PyAny> },
}

impl Foreign {
    /// Whether an object is an array on a GPU.
    pub(crate) fn is_one(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if object.hasattr("__cuda_array_interface__")? {
            return Ok(true);
        }
        let device = object.getattr_opt("__dlpack_device__")?;
        let Some(device) = device else { return Ok(false) };
        let (device_type, _): (u32, i32) = device.call0()?.extract()?;
        Ok(is_gpu(DLDeviceType(device_type)))
    }

    /// The array of this object, of one dimension and without gaps, which our stream waits for.
    pub(crate) fn of(what: &'static str, object: &Bound<'_, PyAny>) -> Result<Self, Error> {
        let interface = match object.getattr("__cuda_array_interface__") {
            Ok(interface) => Some(interface),
            Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => None,
            Err(error) => return Err(error.into()),
        };
        // the interface is the faster way, but before its version 3 it does not name the stream
        let names_stream = |interface: &Bound<'_, PyAny>| interface.contains("stream");
        match interface {
            Some(interface) if names_stream(&interface)? => {
                Self::by_interface(what, object, &interface)
            }
            _ if object.hasattr("__dlpack_device__")? => Self::by_dlpack(what, object),
            Some(interface) => Self::by_interface(what, object, &interface),
            None => Err(not_on_a_gpu(what, object)),
        }
    }

    fn by_dlpack(what: &'static str, object: &Bound<'_, PyAny>) -> Result<Self, Error> {
        let request = ImportRequest::new(object.as_borrowed())?;
        let DLDevice { device_type, device_id } = request.device()?;
        let ordinal = u32::try_from(device_id).ok().filter(|_| is_gpu(device_type));
        let Some(ordinal) = ordinal else {
            return Err(not_on_a_gpu(what, object));
        };
        let gpu = opened(ordinal)?;
        let imported = request.import(Some(&OurStream(&gpu)), None)?;
        let tensor = imported.validate().map_err(|error| Error::argument(error.to_string()))?;
        let is_compact = tensor.is_compact().is_ok_and(|is_compact| is_compact);
        check_layout(what, tensor.ndim(), is_compact)?;
        let address = (tensor.data_ptr().addr() as u64).wrapping_add(tensor.byte_offset());
        let kind =
            kind_of(what, |known| known.3 == tensor.dtype(), &format!("{:?}", tensor.dtype()))?;
        let len = tensor.num_elements();
        let _owner = Owner::Imported { _tensor: imported };
        Ok(Self { gpu, address, len, kind, what, _owner })
    }

    fn by_interface(
        what: &'static str,
        object: &Bound<'_, PyAny>,
        interface: &Bound<'_, PyAny>,
    ) -> Result<Self, Error> {
        let interface = interface.cast::<PyDict>().map_err(PyErr::from)?;
        let item = |name: &str| {
            let missing = || Error::argument(format!("{what}: its interface has no {name}"));
            interface.get_item(name)?.ok_or_else(missing)
        };
        let optional = |name: &str| -> PyResult<_> {
            Ok(interface.get_item(name)?.filter(|item| !item.is_none()))
        };
        let shape: Vec<usize> = item("shape")?.extract()?;
        let typestr: String = item("typestr")?.extract()?;
        let (address, _): (u64, bool) = item("data")?.extract()?;
        let kind = kind_of(what, |known| known.2 == typestr, &typestr)?;
        let strides: Option<Vec<isize>> = optional("strides")?.map(|s| s.extract()).transpose()?;
        let is_next = |strides: Vec<isize>| strides == [kind.size() as isize];
        let is_compact = shape == [1] || strides.is_none_or(is_next);
        check_layout(what, shape.len(), is_compact)?;
        if optional("mask")?.is_some() {
            return Err(Error::argument(format!("{what}: masked arrays are not supported")));
        }
        let (len, stream) = (shape.iter().product(), optional("stream")?);
        let gpu = opened(if len > 0 { Gpu::ordinal_at(address)? } else { 0 })?;
        if let Some(stream) = stream {
            let stream = ptr::without_provenance_mut(stream.extract::<usize>()?);
            // SAFETY: the interface promises that the stream is open.
            unsafe { gpu.wait_for_stream(stream)? };
        }
        let _owner = Owner::Object { _object: object.clone().unbind() };
        Ok(Self { gpu, address, len, kind, what, _owner })
    }

    /// Its numbers, in a type of as many bits, as long as it lives.
    pub(crate) fn buffer<T: Weight>(&self) -> Result<Buffer<T>, Error> {
        assert_eq!(self.kind.size(), size_of::<T>(), "a type of that size");
        // SAFETY: its library says that `len` numbers lie there, which the driver checks, and keeps
        // them for the owner in `self`. Our stream waits for the one that it writes on.
        unsafe { self.gpu.foreign(self.address, self.len) }.map_err(|error| match error {
            GpuError::NotThere { .. } => Error::argument(format!("{}: {error}", self.what)),
            error => error.into(),
        })
    }

    /// Its numbers as indices.
    pub(crate) fn indices(&self) -> Result<OwnedIndices, Error> {
        match self.kind {
            WeightKind::U32 | WeightKind::I32 => Ok(OwnedIndices::U32(self.buffer()?)),
            WeightKind::U64 | WeightKind::I64 => Ok(OwnedIndices::U64(self.buffer()?)),
            kind => Err(Error::argument(format!("{}: expected integers, found {kind}", self.what))),
        }
    }
}

/// Indices of 32 or 64 bits. Those below zero are none that a graph has.
pub(crate) enum OwnedIndices {
    U32(Buffer<u32>),
    U64(Buffer<u64>),
}

impl OwnedIndices {
    pub(crate) fn view(&self) -> Indices<'_> {
        match self {
            Self::U32(indices) => Indices::U32(indices),
            Self::U64(indices) => Indices::U64(indices),
        }
    }
}

/// The type that is known by that.
fn kind_of(
    what: &str,
    is_it: impl Fn(&(WeightKind, &str, &str, DLDataType)) -> bool,
    found: &str,
) -> Result<WeightKind, Error> {
    TYPES.iter().find(|known| is_it(known)).map(|known| known.0).ok_or_else(|| {
        Error::argument(format!(
            "{what}: expected integers or floats of 32 or 64 bits, found {found}"
        ))
    })
}

/// The stream that arrays are to be ready on.
struct OurStream<'a>(&'a Gpu);

// SAFETY: the stream is open as long as its GPU, and of the device that it was opened for.
unsafe impl DlpackStream for OurStream<'_> {
    fn as_python_arg(&self, _: Python<'_>, _: DLDevice) -> PyResult<StreamArg> {
        Ok(stream::cuda(self.0.stream_handle().map_err(Error::from)?))
    }

    unsafe fn wait_for_producer(&self, _: DLDevice, producer: *mut c_void) -> PyResult<bool> {
        // SAFETY: it is the other library's, and open, by the caller's promise.
        unsafe { self.0.wait_for_stream(producer) }.map_err(Error::from)?;
        Ok(true)
    }
}

fn is_gpu(device_type: DLDeviceType) -> bool {
    [DLDeviceType::CUDA, DLDeviceType::CUDAMANAGED].contains(&device_type)
}

fn not_on_a_gpu(what: &str, object: &Bound<'_, PyAny>) -> Error {
    let class = object.get_type();
    Error::argument(format!(
        "{what}: expected an array on a GPU, with __dlpack__ or __cuda_array_interface__, found \
         {class}; starpaths.Graph takes those in the host's memory"
    ))
}

fn check_layout(what: &str, n_dimensions: usize, is_compact: bool) -> Result<(), Error> {
    if n_dimensions != 1 || !is_compact {
        let gaps = if is_compact { "no gaps" } else { "gaps between numbers" };
        return Err(Error::argument(format!(
            "{what}: expected one dimension without gaps, found {n_dimensions} and {gaps}"
        )));
    }
    Ok(())
}
