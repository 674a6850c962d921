import type { Helm } from '../../../engines/kustomize/generators/helm.ts'
import { KustomizeError } from '../../../engines/kustomize/kustomize-error.ts'
import type { Remotes } from '../../../engines/kustomize/remotes.ts'
import type { RenderPorts } from './render-folder.ts'

/** The same ports for two builds: the second may fetch what the first has fetched, and nothing else, and runs no programs. */
export const knownRemotes = ({
  remotes,
  helm,
  ...ports
}: Pick<RenderPorts, 'remotes' | 'helm'>): { readonly first: typeof ports & Network; readonly second: Network } => {
  const known = new Set<string>()
  const remember = <A, R>(what: string, fetch: (address: A) => Promise<R>) => ({
    first: (address: A): Promise<R> => {
      known.add(`${what} ${JSON.stringify(address)}`)
      return fetch(address)
    },
    second: async (address: A): Promise<R> => {
      if (known.has(`${what} ${JSON.stringify(address)}`)) return fetch(address)
      throw new KustomizeError(`a ${what} that the base does not have is only fetched after the merge`)
    },
  })
  const file = remotes && remember('remote file', (url: string) => remotes.file(url))
  const repository = remotes && remember('remote repository', (target: Target) => remotes.repository(target))
  const pull = helm && remember('remote chart', (chart: Pull) => helm.pull(chart))
  const network = (side: 'first' | 'second'): Network => ({
    ...(file && repository && { remotes: { file: file[side], repository: repository[side] } }),
    ...(helm && pull && { helm: { ...helm, pull: pull[side] } }),
  })
  return { first: { ...ports, ...network('first') }, second: network('second') }
}

type Network = Pick<RenderPorts, 'remotes' | 'helm'>
type Target = Parameters<Remotes['repository']>[0]
type Pull = Parameters<Helm['pull']>[0]
