import type { FormatName } from '../../../engines/sops/formats/format.ts'
import { SopsError } from '../../../engines/sops/sops-error.ts'

const titles: Readonly<Record<FormatName, string>> = {
  yaml: 'YAML',
  json: 'JSON',
  dotenv: 'dotenv',
  ini: 'INI',
  binary: 'binary',
}

/** Describes the failure to decrypt a file, in Flux's wording. */
export const sopsProblem = (error: unknown, format: FormatName): string => {
  if (!(error instanceof SopsError)) throw error
  switch (error.code) {
    case 'format':
    case 'metadata':
      return `failed to load encrypted ${titles[format]} data: ${error.message}`
    case 'data-key':
      return `cannot get sops data key: ${error.message}`
    case 'value':
      return `error decrypting sops tree: ${error.message}`
    case 'mac':
      return `failed to verify sops data integrity: ${error.message}`
  }
}
