import { artifactOf } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { type HelmRepository, helmRepository } from '../../foundations/kinds/helm-repository.ts'
import { RepositoryError } from '../../sources/helm/chart-repository.ts'
import { normalizeUrl } from '../../sources/helm/repository-url.ts'
import type { RepositoryAt } from '../../sources/helm/resolve-dependencies.ts'
import { RepositoryAccessDenied } from '../helm-repository/repository-access.ts'
import { type OpenRepository, openRepository, type RepositoryPorts } from './open-repository.ts'

/**
 * The repositories of a chart's dependencies, with the credentials of the HelmRepository for that URL, if there is one.
 */
export const dependencyRepositories = (chart: HelmChart, signal: AbortSignal, ports: RepositoryPorts) => {
  const opened = new Map<string, Promise<OpenRepository>>()

  const open = async (url: string): Promise<OpenRepository> => {
    const repository = (await repositoryWithUrl(url, chart, ports)) ?? anonymous(url, chart)
    const index = artifactOf(repository)
    try {
      return await openRepository({ repository, url, signal, ...(index && { index }) }, ports)
    } catch (error) {
      if (!(error instanceof RepositoryAccessDenied)) throw error
      throw new RepositoryError(`failed to get chart repository for URL '${url}': ${error.message}`, error)
    }
  }

  const at: RepositoryAt = async url => {
    let repository = opened.get(url)
    if (!repository) {
      repository = open(url)
      opened.set(url, repository)
    }
    return (await repository).charts
  }

  const close = async (): Promise<void> => {
    for (const repository of opened.values()) await repository.then(({ close: end }) => end()).catch(() => {})
  }

  return { at, close }
}

const repositoryWithUrl = async (
  url: string,
  chart: HelmChart,
  { references }: RepositoryPorts,
): Promise<HelmRepository | undefined> => {
  const known = await references.localList<HelmRepository>(chart, helmRepository)
  return known.find(({ spec }) => URL.canParse(spec.url) && normalizeUrl(spec.url) === url)
}

const anonymous = (url: string, { metadata: { namespace = '' } }: HelmChart): HelmRepository => ({
  apiVersion: `${helmRepository.group}/v1`,
  kind: helmRepository.kind,
  metadata: { name: '', namespace },
  spec: { url, ...(url.startsWith('oci://') && { type: 'oci' as const }) },
})
