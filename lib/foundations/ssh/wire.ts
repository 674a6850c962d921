/** The encoding of the SSH protocol (RFC 4251): four-byte numbers, and strings with a length prefix. */
export interface SshReader {
  number(): number
  string(): Buffer
}

/** Reads fields one after the other; fails with `malformed` if the bytes end early. */
export const sshReader = (bytes: Buffer, malformed: () => Error): SshReader => {
  let at = 0
  const number = (): number => {
    if (at + 4 > bytes.length) throw malformed()
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  return {
    number,
    string: () => {
      const length = number()
      if (at + length > bytes.length) throw malformed()
      at += length
      return bytes.subarray(at - length, at)
    },
  }
}

/** A string: its length in four bytes, and its bytes. */
export const sshString = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A positive number of any length (`mpint`), from its bytes, most significant first: a leading one bit would be a sign. */
export const sshInteger = (bytes: Uint8Array): Buffer =>
  sshString(bytes[0]! & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)
