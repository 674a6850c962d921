import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileSystem } from '../engines/kustomize/file-system.ts'
import type { Helm } from '../engines/kustomize/generators/helm.ts'
import type { Remotes } from '../engines/kustomize/remotes.ts'
import { diskTree } from '../platform/adapters/embedded/disk-tree.ts'
import { forbidsLinkLocal, requireAllowed } from '../platform/http/guarded-lookup.ts'

/** Machine access for builds by a local user. Most builds need little: the rest is loaded on demand. */

/** All files; the tree's root is `/`. */
export const localTree = (): FileSystem => diskTree()

/** Renders charts: with the helm program of that name or path, or by default with Keelson's own engine, which pulls charts itself. */
export const localHelm = async (command?: string): Promise<Helm> =>
  command === undefined
    ? (await import('./chart-inflation.ts')).chartInflation()
    : (await import('../platform/adapters/embedded/helm-program.ts')).helmProgram(command)

/**
 * Repositories by the local git program, with its user's keys, checked out to a temporary directory that is deleted on close; files over
 * HTTP. Nothing from link-local addresses.
 */
export const localRemotes = (): Remotes & { close(): Promise<void> } => {
  let scratch: Promise<string> | undefined
  let fetching: Promise<FileFetcher> | undefined
  return {
    async file(url) {
      fetching ??= fileFetcher()
      return (await fetching).file(url)
    },
    async repository(target) {
      const host = URL.parse(target.url)?.hostname ?? ''
      requireAllowed(host, forbidsLinkLocal)
      const { checkOutWithGit } = await import('../platform/adapters/embedded/git-program.ts')
      scratch ??= mkdtemp(join(tmpdir(), 'keelson-kustomize-'))
      return diskTree(await checkOutWithGit(target, await scratch))
    },
    async close() {
      await (await fetching)?.close()
      if (scratch) await rm(await scratch, { recursive: true, force: true })
    },
  }
}

interface FileFetcher {
  file(url: string): Promise<Uint8Array>
  close(): Promise<void>
}

const fileFetcher = async (): Promise<FileFetcher> => {
  const { connections } = await import('../platform/http/connections.ts')
  const { environmentProxies } = await import('../platform/http/environment-proxies.ts')
  const { remoteFile } = await import('../sources/bases/remote-file.ts')
  const pool = connections({ proxyFor: environmentProxies(process.env) })
  return { file: remoteFile(pool.open().agent, { maxBytes: 32 << 20, timeoutMs: 30_000 }), close: pool.close }
}

/** Downloads an artifact from a hub, refusing link-local addresses, through the environment's proxies. */
export const fetchArtifact = async (url: string): Promise<Uint8Array> => {
  const { connections } = await import('../platform/http/connections.ts')
  const { environmentProxies } = await import('../platform/http/environment-proxies.ts')
  const { externalArtifactDownload } = await import('../sources/artifact/external-artifact.ts')
  const pool = connections({ proxyFor: environmentProxies(process.env) })
  try {
    return await externalArtifactDownload(pool)(url)
  } finally {
    await pool.close()
  }
}
