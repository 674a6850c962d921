import { SopsError } from '../sops-error.ts'
import type { Format } from './format.ts'
import { json } from './json.ts'

/** Any file: its bytes are the field `data` of a JSON document. */
export const binary: Format = {
  read: json.read,
  write: ([document]) => {
    const data = document!.items.find(({ key }) => key === 'data')?.value
    if (typeof data === 'string') return Buffer.from(data)
    if (data instanceof Uint8Array) return data
    throw new SopsError('format', 'error emitting binary store: no binary data found in tree')
  },
}
