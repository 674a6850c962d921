import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { extract } from '../../sources/artifact/extract.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import {
  type BuildOptions,
  buildLocalChart,
  buildRemoteChart,
  type ChartBuild,
} from '../../sources/helm/build-chart.ts'
import { ChartBuildError } from '../../sources/helm/chart-build-error.ts'
import { RepositoryError } from '../../sources/helm/chart-repository.ts'
import { normalizeUrl } from '../../sources/helm/repository-url.ts'
import { dependencyResolver } from '../../sources/helm/resolve-dependencies.ts'
import { NotVerified } from '../../sources/verify/not-verified.ts'
import { readPublicKey } from '../../sources/verify/public-key.ts'
import type { SignaturePolicy } from '../../sources/verify/verify-artifact.ts'
import { RepositoryAccessDenied } from '../helm-repository/repository-access.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { endDryRun } from '../source-artifact/outcomes.ts'
import { readArtifact } from '../source-artifact/read-artifact.ts'
import { loadSignaturePolicy, providerName } from '../source-artifact/signature-policy.ts'
import { dependencyRepositories } from './dependency-repositories.ts'
import type { ChartSource } from './find-source.ts'
import {
  asAuthenticationFailure,
  buildFailed,
  permanentSourceFailure,
  sourceFailure,
  verificationImpossible,
} from './halts.ts'
import type { ObservedBuilds } from './observed-builds.ts'
import { openRepository, type RepositoryPorts } from './open-repository.ts'
import { versionMetadataOf } from './version-metadata.ts'

type ChartPass = Pass<HelmChart>

export interface BuildPorts extends RepositoryPorts {
  readonly observed: ObservedBuilds
}

/** Pulls or packages the chart, unless the stored one is current. Halts on failure. */
export const buildChart = (
  chart: HelmChart,
  source: ChartSource,
  before: Artifact | undefined,
  pass: ChartPass,
  ports: BuildPorts,
): Promise<ChartBuild> => {
  if (source.kind === 'repository') return buildFromRepository(chart, source, before, pass, ports)
  const build = () => buildFromFiles(chart, source.artifact, before, pass, ports)
  return pass.dryRun ? ports.observed(chart, source.artifact, build) : build()
}

const optionsOf = (
  { spec, status, metadata }: HelmChart,
  before: Artifact | undefined,
  versionMetadata: string,
  pass: ChartPass,
  { limits }: RepositoryPorts,
): BuildOptions => {
  const { valuesFiles = [], ignoreMissingValuesFiles = false } = spec
  const isForced = metadata.generation !== status?.observedGeneration
  const { observedChartName: name, observedValuesFiles } = status ?? {}
  return {
    valuesFiles,
    ignoreMissingValuesFiles,
    versionMetadata,
    limits,
    onChanged: () => endDryRun(pass, 'the chart has changed'),
    ...(before &&
      !isForced &&
      name && {
        current: { name, version: before.revision, ...(observedValuesFiles && { valuesFiles: observedValuesFiles }) },
      }),
  }
}

const buildFromRepository = async (
  chart: HelmChart,
  { repository, index }: Extract<ChartSource, { kind: 'repository' }>,
  before: Artifact | undefined,
  pass: ChartPass,
  ports: RepositoryPorts,
): Promise<ChartBuild> => {
  const { spec } = chart
  const url = requireUrl(repository.spec.url)
  const opened = await openRepository(
    {
      repository,
      url,
      signal: pass.signal,
      ...(index && { index }),
      policy: async () => {
        if (repository.spec.type === 'oci') requireRegistry(url)
        return spec.verify && url.startsWith('oci://') ? loadPolicy(chart, ports) : undefined
      },
      onFullCache: () =>
        pass.event({
          severity: 'info',
          reason: 'CacheOperationFailed',
          message: 'failed to cache index: cache is full',
          quiet: true,
        }),
    },
    ports,
  ).catch(error => {
    if (!(error instanceof RepositoryAccessDenied)) throw error
    throw sourceFailure('AuthenticationFailed', error.message, error)
  })
  const reference = { name: spec.chart, version: spec.version ?? '*' }
  const options = optionsOf(chart, before, versionMetadataOf(chart), pass, ports)
  try {
    return await buildRemoteChart(opened.charts, reference, options, spec.verify !== undefined)
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof ChartBuildError)) throw error
    throw asAuthenticationFailure(error) ?? buildFailed(error)
  } finally {
    await opened.close()
  }
}

const requireUrl = (address: string): string => {
  try {
    return normalizeUrl(address)
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    throw permanentSourceFailure('URLInvalid', `invalid Helm repository URL: ${error.message}`, error)
  }
}

const requireRegistry = (url: string): void => {
  if (url.startsWith('oci://')) return
  throw permanentSourceFailure('Failed', `failed to construct Helm client: invalid OCI registry URL: ${url}`)
}

const loadPolicy = async (chart: HelmChart, { references }: RepositoryPorts): Promise<SignaturePolicy> => {
  const verify = chart.spec.verify!
  try {
    const policy = await loadSignaturePolicy(references, chart, verify)
    if (policy.provider === 'cosign' && policy.keys.length === 0) {
      throw new NotVerified(`no public keys found in secret '${chart.metadata.namespace}/${verify.secretRef!.name}'`)
    }
    if (policy.provider === 'cosign') policy.keys.forEach(readPublicKey)
    return policy
  } catch (error) {
    if (!(error instanceof NotVerified)) throw error
    const failed = `failed to verify the signature using provider '${providerName(verify)}'`
    throw verificationImpossible(`${failed}: ${error.message}`, error)
  }
}

const buildFromFiles = async (
  chart: HelmChart,
  artifact: Artifact,
  before: Artifact | undefined,
  pass: ChartPass,
  ports: RepositoryPorts,
): Promise<ChartBuild> => {
  const { path, digest } = artifact
  const read = () => readFiles(artifact, ports)
  const tree = await (pass.dryRun ? pass.dryRun.once(`files ${path} ${digest}`, read) : read())
  const repositories = dependencyRepositories(chart, pass.signal, ports)
  try {
    const options = optionsOf(chart, before, versionMetadataOf(chart, artifact), pass, ports)
    return await buildLocalChart(tree, chart.spec.chart, options, dependencyResolver(repositories.at, ports.limits))
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof ChartBuildError)) throw error
    throw buildFailed(error)
  } finally {
    await repositories.close()
  }
}

const readFiles = async (artifact: Artifact, ports: RepositoryPorts): Promise<SourceTree> => {
  const content = await readArtifact(ports, artifact).catch(error => {
    throw sourceFailure('ReadOperationFailed', `failed to open source artifact: ${errorMessage(error)}`, error)
  })
  if (!content) {
    const gone = `failed to open source artifact: ${artifact.path} is gone`
    throw sourceFailure('ReadOperationFailed', gone, undefined)
  }
  return extract(content).catch(error => {
    throw sourceFailure('Failed', `artifact untar error: ${(error as Error).message}`, error)
  })
}
