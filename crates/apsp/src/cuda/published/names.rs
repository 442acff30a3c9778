//! The names of the kernels of `kernels/apsp/published`, for each type of elements.

use gpu_runtime::Ptx;

/// The modules and kernels for a type.
pub struct Names {
    pub(super) plain: Ptx,
    pub(super) plain_kernel: &'static str,
    pub(super) plain_last: &'static str,
    pub(super) out_of_core: Ptx,
    pub(super) out_of_core_kernel: &'static str,
    pub(super) tiles: Ptx,
    /// Side of a tile, rows per step, the kernel for the pivot and that for the panels.
    pub(super) closings: &'static [(u32, u32, &'static str, &'static str)],
    /// By one thread, where the side is 16.
    pub(super) pivot_sequential: &'static str,
    pub(super) product: Ptx,
    /// Side of a tile, kernel of method A.
    pub(super) products: &'static [(u32, &'static str)],
    pub(super) multiply_sides: &'static str,
    pub(super) multiply_corner: &'static str,
    pub(super) two_level: Ptx,
    /// Sides of a tile and of a small tile, kernel of method B.
    pub(super) two_levels: &'static [(u32, u32, &'static str)],
    pub(super) to_tiles: &'static str,
    pub(super) from_tiles: &'static str,
}

const fn ptx(module: kernels::Module) -> Ptx {
    Ptx::new(module.name, module.ptx)
}

macro_rules! closings {
    ($type:literal: $(($t:literal, $h:literal))*) => {
        &[$((
            $t,
            $h,
            concat!("pivot_t", $t, "_h", $h, "_", $type),
            concat!("panels_t", $t, "_h", $h, "_", $type),
        )),*]
    };
}

macro_rules! two_levels {
    ($type:literal: $(($t:literal, $u:literal))*) => {
        &[$(($t, $u, concat!("two_level_t", $t, "_u", $u, "_", $type))),*]
    };
}

macro_rules! names {
    ($type:literal, $plain:ident, $out_of_core:ident, $tiles:ident, $product:ident, $two_level:ident) => {
        Names {
            plain: ptx(kernels::apsp::$plain),
            plain_kernel: concat!("plain_", $type),
            plain_last: concat!("plain_last_", $type),
            out_of_core: ptx(kernels::apsp::$out_of_core),
            out_of_core_kernel: concat!("out_of_core_", $type),
            tiles: ptx(kernels::apsp::$tiles),
            closings: closings!(
                $type:
                (16, 1) (16, 2) (16, 4) (16, 8) (16, 16)
                (32, 1) (32, 2) (32, 4) (32, 8) (32, 16)
                (64, 1) (64, 2) (64, 4) (64, 8) (64, 16)
            ),
            pivot_sequential: concat!("pivot_sequential_", $type),
            product: ptx(kernels::apsp::$product),
            products: &[
                (16, concat!("bulk_t16_", $type)),
                (32, concat!("bulk_t32_", $type)),
                (64, concat!("bulk_t64_", $type)),
            ],
            multiply_sides: concat!("multiply_sides_", $type),
            multiply_corner: concat!("multiply_corner_", $type),
            two_level: ptx(kernels::apsp::$two_level),
            two_levels: two_levels!(
                $type:
                (16, 1) (16, 2) (16, 4) (16, 8) (16, 16)
                (32, 1) (32, 2) (32, 4) (32, 8) (32, 16)
                (64, 1) (64, 2) (64, 4) (64, 8) (64, 16)
            ),
            to_tiles: concat!("to_tiles_", $type),
            from_tiles: concat!("from_tiles_", $type),
        }
    };
}

pub(super) static I32: Names = names!(
    "i32",
    PUBLISHED_PLAIN_I32,
    PUBLISHED_OUT_OF_CORE_I32,
    PUBLISHED_TILES_I32,
    PUBLISHED_PRODUCT_I32,
    PUBLISHED_TWO_LEVEL_I32
);
pub(super) static F32: Names = names!(
    "f32",
    PUBLISHED_PLAIN_F32,
    PUBLISHED_OUT_OF_CORE_F32,
    PUBLISHED_TILES_F32,
    PUBLISHED_PRODUCT_F32,
    PUBLISHED_TWO_LEVEL_F32
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_entry_of_its_module() {
        for names in [&I32, &F32] {
            let has = |module: &Ptx, name: &str| {
                assert!(module.text.contains(&format!(".entry {name}(")), "{name}");
            };
            has(&names.plain, names.plain_kernel);
            has(&names.plain, names.plain_last);
            has(&names.out_of_core, names.out_of_core_kernel);
            for (_, _, pivot, panels) in names.closings {
                has(&names.tiles, pivot);
                has(&names.tiles, panels);
            }
            has(&names.tiles, names.pivot_sequential);
            for (_, product) in names.products {
                has(&names.product, product);
            }
            has(&names.product, names.multiply_sides);
            has(&names.product, names.multiply_corner);
            for (_, _, two_level) in names.two_levels {
                has(&names.two_level, two_level);
            }
            has(&names.two_level, names.to_tiles);
            has(&names.two_level, names.from_tiles);
        }
    }
}
