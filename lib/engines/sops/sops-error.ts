/** What failed: the document, its metadata, the data key, a value, or the check that nothing was changed. */
export type SopsErrorCode = 'format' | 'metadata' | 'data-key' | 'value' | 'mac'

/** A document could not be decrypted. The message is sops' own and never contains content; `key` is the place in the document. */
export class SopsError extends Error {
  readonly code: SopsErrorCode
  readonly key: string | undefined

  constructor(code: SopsErrorCode, message: string, { key, cause }: { key?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.name = 'SopsError'
    this.code = code
    this.key = key
  }
}
