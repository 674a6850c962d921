import { diskTree } from '../adapters/embedded/disk-tree.ts'
import { checkOutWithGit } from '../adapters/embedded/git-program.ts'
import { helmProgram } from '../adapters/embedded/helm-program.ts'
import { pluginRunner } from '../adapters/embedded/plugin-runner.ts'
import type { FileSystem } from '../kustomize/file-system.ts'
import type { Helm } from '../kustomize/generators/helm.ts'
import type { PluginRunner } from '../kustomize/plugins/exec/plugin-runner.ts'
import type { Remotes } from '../kustomize/remotes.ts'
import { isLinkLocal } from '../rules/link-local.ts'

/** What a build by a person at this machine may use of it. */

/** All files; the tree's root is `/`. */
export const localTree = (): FileSystem => diskTree()

/** Kustomize plugins as processes, from where kustomize keeps them; without a network unless they may use it. */
export const localPlugins = (network: boolean): PluginRunner => pluginRunner({ network })

/** The helm program of that name or path. */
export const localHelm = (command: string): Helm => helmProgram(command)

/**
 * Repositories by the machine's git program, which has its user's keys, checked out below `scratch`; files over HTTP, but not
 * from link-local addresses. What fetches files is loaded when the first is wanted.
 */
export const localRemotes = (scratch: string): Remotes & { close(): Promise<void> } => {
  let fetching: Promise<FileFetcher> | undefined
  return {
    async file(url) {
      fetching ??= fileFetcher()
      return (await fetching).file(url)
    },
    async repository(target) {
      const host = URL.parse(target.url)?.hostname ?? ''
      if (isLinkLocal(host)) throw new Error(`${host} is a link-local address: nothing is fetched from there`)
      return diskTree(await checkOutWithGit(target, scratch))
    },
    close: async () => (await fetching)?.close(),
  }
}

interface FileFetcher {
  file(url: string): Promise<Uint8Array>
  close(): Promise<void>
}

const fileFetcher = async (): Promise<FileFetcher> => {
  const { guardedAgent } = await import('../source/http/guarded-agent.ts')
  const { remoteFile } = await import('../source/bases/remote-file.ts')
  const agent = guardedAgent()
  return { file: remoteFile(agent, { maxBytes: 32 << 20, timeoutMs: 30_000 }), close: () => agent.destroy() }
}
