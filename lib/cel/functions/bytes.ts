import { evaluationError } from '../cel-error.ts'
import type { Functions } from './function.ts'

export const byteFunctions: Functions = {
  'size(bytes): int': (bytes: Uint8Array) => BigInt(bytes.length),
  'bytes.size(): int': (bytes: Uint8Array) => BigInt(bytes.length),
  'base64::encode(bytes): string': (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
  'base64::decode(string): bytes': (text: string) => {
    if (!/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(text)) throw evaluationError('illegal base64 data')
    return Buffer.from(text, 'base64')
  },
}
