/** DER tags of ASN.1 types. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** `[n]` of a constructed value. */
export const context = (n: number): number => 0xa0 | n
/** `[n]` of a primitive value. */
export const bare = (n: number): number => 0x80 | n
