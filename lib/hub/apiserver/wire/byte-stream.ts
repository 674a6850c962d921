/** Response bodies that are created only as fast as they are read. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

export type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>

/** Maximum size of a chunk: a thousand watches may share a part, and each of their sockets copies what it receives. */
const sliceBytes = 64 * 1024

interface StreamOptions {
  /** Called at the end, and when the reader disconnects while the generator may be waiting. */
  readonly stop?: () => void
  /** Ends the body with an error, even while nobody reads. */
  readonly dropped?: AbortSignal
  /** Awaited before each further slice of a part. */
  readonly turn?: () => Promise<void>
}

/** The texts' bytes, a slice at a time. */
export const streamOf = (
  texts: AsyncGenerator<string | Uint8Array, void>,
  { stop = () => {}, dropped, turn }: StreamOptions = {},
): ByteStream => {
  let rest: Uint8Array<ArrayBufferLike> = Buffer.alloc(0)
  let onDrop: () => void
  let isOver = false
  const end = () => {
    isOver = true
    dropped?.removeEventListener('abort', onDrop)
    rest = Buffer.alloc(0)
    stop()
  }
  return new ReadableStream(
    {
      start: controller => {
        onDrop = () => {
          end()
          controller.error(dropped!.reason)
          void texts.return().catch(() => {})
        }
        dropped?.addEventListener('abort', onDrop, { once: true })
      },
      pull: async controller => {
        if (rest.byteLength > 0) await turn?.()
        while (rest.byteLength === 0 && !isOver) {
          const { value, done } = await texts.next()
          if (isOver) return
          if (done) {
            end()
            controller.close()
            return
          }
          rest = typeof value === 'string' ? Buffer.from(value) : value
        }
        if (isOver) return
        controller.enqueue(rest.subarray(0, sliceBytes) as Uint8Array<ArrayBuffer>)
        rest = rest.subarray(sliceBytes)
      },
      cancel: async () => {
        end()
        await texts.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The same, as gzip. */
export const compressed = (texts: AsyncGenerator<string, void>): ByteStream => {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  // An error destroys both ends: the reader receives a truncated body.
  pipeline(Readable.from(texts, { objectMode: true, highWaterMark: 1 }), gzip, () => {})
  return Readable.toWeb(gzip) as unknown as ByteStream
}
