//! The kernels of the machine, by what they do.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};

/// The choice of one of them.
pub(super) type Choice = fn(&Kernels) -> &Kernel;

macro_rules! kernels {
    ($($module:ident: $($field:ident $name:literal),+;)+) => {
        $(static $module: Ptx =
            Ptx::new(kernels::star::$module.name, kernels::star::$module.ptx);)+

        /// Each is documented in `kernels/star`.
        #[derive(Debug)]
        pub(crate) struct Kernels {
            $($(pub(crate) $field: Kernel,)+)+
        }

        impl Kernels {
            pub(super) fn load(gpu: &Gpu) -> Result<Self, GpuError> {
                Ok(Self { $($($field: gpu.kernel(&$module, $name)?,)+)+ })
            }
        }
    };
}

kernels! {
    OPERATIONS:
        fill "star_fill", copy "star_copy", not "star_not", logic "star_logic",
        set_bit "star_set_bit", trim "star_trim", replace "star_replace",
        read_row "star_read_row", write_row "star_write_row";
    QUESTIONS:
        find "star_find", step "star_step", first "star_first", count "star_count",
        compare_words "star_compare_words", bit "star_bit", add "star_add",
        subtract "star_subtract";
    FUSED:
        match_rows "star_match", compare "star_compare", set_min "star_set_min",
        hit "star_hit", clear "star_clear", copy_table "star_copy_table", merge_table "star_merge_table",
        copy_word "star_copy_word", merge_word "star_merge_word", add_word "star_add_word",
        add_table "star_add_table", subtract_word "star_subtract_word",
        subtract_table "star_subtract_table", least "star_least";
    ADAPTED:
        adapted "star_adapted";
    AS_PRINTED:
        printed_logic "star_printed_logic", fold "star_printed_find",
        first_backward "star_printed_first_backward", get_row "star_printed_get_row",
        set_row "star_printed_set_row";
}
