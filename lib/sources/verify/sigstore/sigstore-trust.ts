import { createHash } from 'node:crypto'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import type { ArtifactStore } from '../../../platform/ports/artifacts.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import { NotVerified } from '../not-verified.ts'
import { type Refreshed, type TufMetadata, TufUnreachable } from './tuf-metadata.ts'

/** The TUF repository of the public Sigstore. */
export const publicMirror = 'https://tuf-repo-cdn.sigstore.dev'

/** Where the trusted root of a Sigstore comes from. */
export interface SigstoreOrigin {
  /** Address of a TUF repository. */
  readonly mirror: string
  /** `root.json`, the initial trust in the repository. */
  readonly root: string
  /** The trusted root until the repository is first reached. */
  readonly embedded?: Uint8Array
}

export interface SigstorePorts {
  readonly artifacts: ArtifactStore
  readonly clock: Pick<Clock, 'now'>
  readonly log?: Log
  refresh(mirror: string, known: TufMetadata): Promise<Refreshed>
}

interface Kept {
  readonly checkedAt: number
  readonly metadata: TufMetadata
  /** Base64. */
  readonly trustedRoot: string
}

const hour = 60 * 60_000
const FRESH_MS = 24 * hour
/** Delay before the next request to an unreachable repository. */
const UNREACHABLE_RETRY_MS = hour
/** Delay before the next request after metadata that could not be verified. */
const INVALID_RETRY_MS = 60_000

/**
 * The trusted root of a Sigstore, refreshed once a day and cached in the artifact store for all processes. If the
 * repository can't be reached, the cached root stays in use; if its metadata has expired or is not signed correctly,
 * neither it nor the cached root is trusted.
 */
export const sigstoreTrust = ({ mirror, root, embedded }: SigstoreOrigin, ports: SigstorePorts) => {
  const { artifacts, clock, log } = ports
  const folder = `sigstore/${createHash('sha256').update(mirror).update(root).digest('hex')}/`
  let settled: { readonly until: number; readonly content: Uint8Array | NotVerified } | undefined
  let running: Promise<Uint8Array | NotVerified> | undefined

  const settle = <T extends Uint8Array | NotVerified>(content: T, forMs: number): T => {
    settled = { content, until: clock.now() + forMs }
    return content
  }

  const refresh = async (): Promise<Uint8Array | NotVerified> => {
    const kept = await latest(artifacts, folder)
    const age = kept ? clock.now() - kept.checkedAt : Number.POSITIVE_INFINITY
    const known = kept ? Buffer.from(kept.trustedRoot, 'base64') : embedded
    if (known && age < FRESH_MS) return settle(known, FRESH_MS - age)
    try {
      const { metadata, trustedRoot } = await ports.refresh(mirror, kept?.metadata ?? { 'root.json': root })
      await keep(artifacts, folder, { checkedAt: clock.now(), metadata, trustedRoot: trustedRoot.toString('base64') })
      return settle(trustedRoot, FRESH_MS)
    } catch (error) {
      const why = errorMessage(error)
      if (!(error instanceof TufUnreachable) || !known) {
        return settle(
          new NotVerified(`unable to initialize trusted root from ${mirror}: ${why}`, error),
          INVALID_RETRY_MS,
        )
      }
      log?.error('the trusted root of Sigstore could not be refreshed; the previous one stays in use', {
        mirror,
        error,
      })
      return settle(known, UNREACHABLE_RETRY_MS)
    }
  }

  /** Returns `trusted_root.json`. Fails with NotVerified. */
  return async (): Promise<Uint8Array> => {
    if (!settled || settled.until <= clock.now()) {
      running ??= refresh().finally(() => {
        running = undefined
      })
      await running
    }
    const { content } = settled!
    if (content instanceof NotVerified) throw content
    return content
  }
}

const latest = async (artifacts: ArtifactStore, folder: string): Promise<Kept | undefined> => {
  const names = await namesIn(artifacts, folder)
  const content = names.length > 0 ? await artifacts.get(names.at(-1)!) : undefined
  return content && (JSON.parse(Buffer.from(content).toString('utf8')) as Kept)
}

/** Oldest first. */
const namesIn = async (artifacts: ArtifactStore, folder: string): Promise<readonly string[]> => {
  const names: string[] = []
  for await (const { name } of artifacts.list(folder)) names.push(name)
  return names.sort()
}

const keep = async (artifacts: ArtifactStore, folder: string, kept: Kept): Promise<void> => {
  const before = await namesIn(artifacts, folder)
  const content = Buffer.from(JSON.stringify(kept))
  const digest = sha256Hex(content)
  const name = `${folder}${String(kept.checkedAt).padStart(15, '0')}-${digest}.json`
  await artifacts.put(name, content)
  for (const old of before) if (old !== name) await artifacts.delete(old)
}
