/** Limits for a registry's responses. */
export interface OciLimits {
  /** Bytes of one manifest or index. */
  readonly maxManifestBytes: number
  /** Bytes of one layer, as transferred. */
  readonly maxBlobBytes: number
  readonly maxTags: number
}

export const defaultOciLimits: OciLimits = { maxManifestBytes: 8 << 20, maxBlobBytes: 512 << 20, maxTags: 100_000 }
