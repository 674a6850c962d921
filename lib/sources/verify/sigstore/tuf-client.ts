import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BaseFetcher, Updater } from 'tuf-js'
import { DownloadHTTPError } from 'tuf-js/dist/error.js'
import type { HttpAgent } from '../../../platform/http/guarded-agent.ts'
import { describeHttpFailure, httpClient } from '../../../platform/http/http-client.ts'
import { downloadPolicy } from '../../../platform/http/http-policy.ts'
import { type Refreshed, type TufMetadata, TufUnreachable } from './tuf-metadata.ts'

const TARGET = 'trusted_root.json'
const limits = {
  maxRootRotations: 256,
  rootMaxLength: 512_000,
  snapshotMaxLength: 2_000_000,
  targetsMaxLength: 5_000_000,
}
const MAX_TARGET = 1 << 20
const TIMEOUT_MS = 15_000

/**
 * Runs the workflow of TUF clients (specification 1.0, section 5), starting from known metadata, and fetches the
 * trusted root. Fails with TufUnreachable, or with another error if the repository's metadata can't be trusted.
 */
export const refreshFromTuf = async (mirror: string, known: TufMetadata, agent: HttpAgent): Promise<Refreshed> => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-tuf-'))
  try {
    for (const [name, content] of Object.entries(known)) await writeFile(join(folder, name), content)
    const fetcher = new GuardedFetcher(agent, AbortSignal.timeout(TIMEOUT_MS))
    const metadataBaseUrl = mirror.replace(/\/+$/, '')
    const updater = new Updater({ metadataDir: folder, metadataBaseUrl, fetcher, config: limits })
    try {
      await updater.refresh()
      const target = await updater.getTargetInfo(TARGET)
      if (!target) throw new Error(`the repository has no ${TARGET}`)
      if (target.length > MAX_TARGET) throw new Error(`${TARGET} has ${target.length} bytes, more than ${MAX_TARGET}`)
      const path = await updater.downloadTarget(target, join(folder, '.target'), `${metadataBaseUrl}/targets`)
      return { trustedRoot: await readFile(path), metadata: await metadataIn(folder) }
    } catch (error) {
      // tuf-js hides the cause of failed downloads.
      throw fetcher.unreachable ?? error
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const metadataIn = async (folder: string): Promise<TufMetadata> => {
  const names = (await readdir(folder)).filter(name => /^[\w-]+\.json$/.test(name))
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')])),
  )
}

class GuardedFetcher extends BaseFetcher {
  /** The last request without a response, or with a server error. */
  unreachable: TufUnreachable | undefined
  readonly #send

  constructor(agent: HttpAgent, signal: AbortSignal) {
    super()
    this.#send = httpClient({
      ...{ agent, policy: downloadPolicy, signal },
      fail: failure => this.#fails(describeHttpFailure(failure), failure.cause),
    })
  }

  #fails(message: string, cause?: unknown): TufUnreachable {
    this.unreachable = new TufUnreachable(message, cause)
    return this.unreachable
  }

  override async fetch(url: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const response = await this.#send({ url: new URL(url) })
    if (response.status === 200) {
      return ReadableStream.from(response.chunks()) as ReadableStream<Uint8Array<ArrayBuffer>>
    }
    await response.discard()
    if (response.status >= 500 || response.status === 429)
      throw this.#fails(`${url} responds with status ${response.status}`)
    throw new DownloadHTTPError(`${url} responds with status ${response.status}`, response.status)
  }
}
