/** Bodies that are made as fast as they are read, and not ahead of that. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

export type ByteStream = ReadableStream<Uint8Array<ArrayBuffer>>

/** The texts' bytes. `stop` is called at the end, and when the reader goes while the generator may be waiting for news. */
export const streamOf = (texts: AsyncGenerator<string | Uint8Array, void>, stop = () => {}): ByteStream =>
  new ReadableStream(
    {
      pull: async controller => {
        const { value, done } = await texts.next()
        if (done) {
          stop()
          controller.close()
        } else controller.enqueue((typeof value === 'string' ? Buffer.from(value) : value) as Uint8Array<ArrayBuffer>)
      },
      cancel: async () => {
        stop()
        await texts.return()
      },
    },
    { highWaterMark: 0 },
  )

/** The same, as gzip. */
export const compressed = (texts: AsyncGenerator<string, void>): ByteStream => {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  // What fails destroys the other end too: the reader sees the body break off.
  pipeline(Readable.from(texts, { objectMode: true, highWaterMark: 1 }), gzip, () => {})
  return Readable.toWeb(gzip) as unknown as ByteStream
}
