import { hash } from 'node:crypto'

/** The SHA-256 of a text or of bytes, as 64 hexadecimal digits. */
export const sha256Hex = (content: string | Uint8Array): string => hash('sha256', content)

/** The same in digest notation: `sha256:<hex>`. */
export const sha256Digest = (content: string | Uint8Array): string => `sha256:${sha256Hex(content)}`
