import type { FormatName } from '../../../sops/formats/format.ts'
import { formats } from '../../../sops/formats/format-of.ts'
import { SopsError } from '../../../sops/sops-error.ts'

/** What went wrong with a file of a format, in Flux's words. */
export const sopsProblem = (error: unknown, format: FormatName): string => {
  if (!(error instanceof SopsError)) throw error
  switch (error.code) {
    case 'format':
    case 'metadata':
      return `failed to load encrypted ${formats[format].title} data: ${error.message}`
    case 'data-key':
      return `cannot get sops data key: ${error.message}`
    case 'value':
      return `error decrypting sops tree: ${error.message}`
    case 'mac':
      return `failed to verify sops data integrity: ${error.message}`
  }
}
