import type { ChartFiles, HelmPull } from '../../engines/kustomize/generators/helm.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { OciClient } from '../oci/oci-client.ts'
import { filesInArchive } from './chart-archive.ts'
import { type ChartRepository, RepositoryError } from './chart-repository.ts'
import { httpRepository } from './http-repository.ts'
import { parseIndex } from './index-file.ts'
import { ociChartRepository } from './oci-repository.ts'
import { normalizeUrl } from './repository-url.ts'

export interface PullPorts {
  readonly connections: Connections
  readonly oci: OciClient
  /** Cancels the download. */
  readonly signal: AbortSignal
}

/**
 * Downloads a chart for a kustomization, without credentials: the highest version in its range, including prereleases
 * with `devel`. Throws RepositoryError or ChartNotFound if it can't be downloaded, InvalidChart if it is not a chart.
 */
export const pullChart = async (
  { name, repo, version = '', devel }: HelmPull,
  ports: PullPorts,
): Promise<ChartFiles> => {
  const { charts, close } = openRepository(repo, ports)
  try {
    const range = version || (devel ? '>0.0.0-0' : '')
    const archive = await charts.download(await charts.find(name, range))
    return new Map((await filesInArchive(archive)).map(file => [file.name, file.data]))
  } finally {
    await close()
  }
}

interface OpenRepository {
  readonly charts: ChartRepository
  close(): Promise<void>
}

const openRepository = (repo: string, { connections, oci, signal }: PullPorts): OpenRepository => {
  const url = normalizeUrl(repo)
  if (url.startsWith('oci://'))
    return { charts: ociChartRepository({ url, insecure: false, signal }, oci), close: async () => {} }
  if (!/^https?:/.test(url)) throw new RepositoryError(`could not find protocol handler for: ${url.split(':')[0]}`)
  const remote = httpRepository({ url, signal }, connections)
  const index = async () => parseIndex((await remote.fetchIndex())!.content)
  return { charts: remote.charts(index), close: remote.close }
}
