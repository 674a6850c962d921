import { execFileSync } from 'node:child_process'

/** Paths to contents. */
export type PackedFiles = Readonly<Record<string, string | Uint8Array>>

const BLOCK = 512

/**
 * Files as Python's tarfile and zlib pack them, without times, in byte order: signatures in the recordings are of these very
 * bytes. Made apart from the code that is tested, with the gzip program.
 */
export const tarGzip = (files: PackedFiles): Buffer => {
  const parts = Object.keys(files)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap(path => member(path, Buffer.from(files[path]!)))
  const bytes = Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
  const record = 20 * BLOCK
  const padded = Buffer.concat([bytes, Buffer.alloc((record - (bytes.length % record)) % record)])
  return execFileSync('gzip', ['-9n'], { input: padded, maxBuffer: 1 << 30 })
}

const member = (path: string, content: Buffer): Buffer[] => {
  const header = Buffer.alloc(BLOCK)
  header.write(path, 0)
  header.write('0000644\0' + '0000000\0' + '0000000\0', 100)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124)
  header.write(`${' '.repeat(8)}0`, 148)
  header.write('ustar\0' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, content, Buffer.alloc(-content.length & (BLOCK - 1))]
}
