//! Maps the driver's results to errors.

use std::fmt::Display;

use cust::error::CudaError;
use cust::sys::CUresult;

use crate::GpuError;

/// Checks that a call of the driver succeeded; `operation` names its purpose in the error.
pub(super) fn check(operation: impl Display, result: CUresult) -> Result<(), GpuError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(GpuError::Driver {
            operation: operation.to_string(),
            code: failure as i32,
            name: format!("{failure:?}"),
        }),
    }
}

/// For `map_err` behind calls that already have an error of their own.
pub(super) fn failed(operation: &str) -> impl FnOnce(CudaError) -> GpuError {
    move |error| GpuError::Driver {
        operation: operation.into(),
        code: error as i32,
        name: format!("{error:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_operation_code_and_name() {
        assert_eq!(check("copying", CUresult::CUDA_SUCCESS), Ok(()));
        let error = check("copying", CUresult::CUDA_ERROR_ILLEGAL_ADDRESS).unwrap_err();
        assert_eq!(error.to_string(), "copying: CUDA_ERROR_ILLEGAL_ADDRESS (CUDA error 700)");
        assert_eq!(
            failed("waiting")(CudaError::LaunchFailed).to_string(),
            "waiting: LaunchFailed (CUDA error 719)"
        );
    }
}
