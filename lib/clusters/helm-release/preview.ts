import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { isPending, type Release, withStatus } from '../../engines/helm/release/release.ts'
import { type Definition, versionsOf } from '../apply/definition.ts'
import { type ApiResource, type ClusterClient, ClusterError } from '../client/client.ts'
import type { ActionDeps, InstallRequest, RollbackRequest, UpgradeRequest } from './action.ts'
import { definitionsIn } from './crds.ts'
import { draftInstall } from './install.ts'
import { draftRollback } from './rollback.ts'
import { draftUpgrade, upgraded } from './upgrade.ts'

/** What an action would do to a release. */
export interface Preview {
  /** The version that would be upgraded; undefined for an installation. */
  readonly current?: Release
  /** The version that would be stored. */
  readonly release: Release
  readonly request: InstallRequest | UpgradeRequest | RollbackRequest
  /** The CRDs in the chart's `crds/`; none if the policy skips them. */
  readonly definitions: readonly Definition[]
  /** The cluster, as if it served these CRDs. */
  readonly cluster: ClusterClient
}

/**
 * Renders what an upgrade would store, or an installation if nothing is released, without writing anything. A pending action counts as failed.
 * Throws HelmError, ActionFailed and ClusterError.
 */
export const preview = async (
  deps: ActionDeps,
  requests: { readonly install: InstallRequest; readonly upgrade: UpgradeRequest },
): Promise<Preview> => {
  const stored = await deps.storage.history(requests.install.name)
  const releases = stored.map(({ release }) => (isPending(release) ? withStatus(release, 'failed') : release))
  const [last] = releases
  const isNew = !last || last.info.status === 'uninstalled'
  const request = isNew ? requests.install : requests.upgrade
  const files = request.crds === 'Skip' ? [] : crdsOf(request.chart)
  const { definitions } = await definitionsIn(deps, files, request.originLabels)
  const cluster = serving(deps.cluster, definitions)
  const after = { ...deps, cluster }
  if (isNew) return { release: await draftInstall(after, last, requests.install), request, definitions, cluster }
  const current = upgraded(releases)
  const release = await draftUpgrade(after, { last, current }, requests.upgrade)
  return { current, release, request, definitions, cluster }
}

/** What a rollback would store: its objects replace those of the last version. Throws ActionFailed and ClusterError. */
export const previewRollback = async (
  deps: ActionDeps,
  request: RollbackRequest,
): Promise<Preview & { readonly current: Release }> => {
  const releases = (await deps.storage.history(request.name)).map(({ release }) => release)
  const release = draftRollback(deps, releases, request)
  return { current: releases[0]!, release, request, definitions: [], cluster: deps.cluster }
}

/** The cluster as it would be with these CRDs. */
const serving = (cluster: ClusterClient, definitions: readonly Definition[]): ClusterClient => {
  const served = definitions.flatMap(definition =>
    versionsOf(definition)
      .filter(({ served }) => served)
      .map(({ name }) => resourceOf(definition, name)),
  )
  return {
    ...cluster,
    resourceFor: async (apiVersion, kind, options) => {
      try {
        return await cluster.resourceFor(apiVersion, kind, options)
      } catch (error) {
        if (!(error instanceof ClusterError) || error.code !== 'noMatch') throw error
        const found = served.find(resource => resource.kind === kind && apiVersionOf(resource) === apiVersion)
        if (!found) throw error
        return found
      }
    },
    ...(cluster.servedVersions && {
      servedVersions: async options => [
        ...new Set([
          ...(await cluster.servedVersions!(options)),
          ...served.flatMap(resource => [apiVersionOf(resource), `${apiVersionOf(resource)}/${resource.kind}`]),
        ]),
      ],
    }),
  }
}

const resourceOf = ({ spec }: Definition, version: string): ApiResource => ({
  ...{ group: spec.group, version, kind: spec.names.kind, plural: spec.names.plural },
  ...{ namespaced: spec.scope === 'Namespaced', verbs: [] },
})

const apiVersionOf = ({ group, version }: ApiResource): string => `${group}/${version}`
