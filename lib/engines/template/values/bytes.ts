import { textOf } from './text.ts'
import { Int, Struct, TypedList, type Value } from './value.ts'

/** A []byte: printed as a list of numbers, converted to text for functions that take text, and base64 in JSON. */
export class Bytes extends Struct {
  readonly data: Uint8Array
  constructor(data: Uint8Array) {
    super('[]uint8', new Map(), undefined, () => textOf(data))
    this.data = data
  }

  /** As a list, created on demand. */
  override get underlying(): Value {
    return TypedList.holding(
      'uint8',
      [...this.data].map(byte => new Int(BigInt(byte), 'uint8')),
    )
  }

  override toJson(): string {
    return Buffer.from(this.data).toString('base64')
  }
}
