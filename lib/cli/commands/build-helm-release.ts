import { Command } from 'commander'
import { preview } from '../../clusters/helm-release/preview.ts'
import { postRender } from '../../engines/helm/release/post-render.ts'
import { defaultCapabilities, renderFiles } from '../../engines/helm/render-chart.ts'
import { validateValues } from '../../engines/helm/schema/validate-values.ts'
import { sortManifests } from '../../engines/helm/sort-manifests.ts'
import { splitManifests } from '../../engines/helm/split-manifests.ts'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../engines/yaml/json-value.ts'
import { parseYaml } from '../../engines/yaml/parse.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { createReferences } from '../../hub/references/references.ts'
import { composeValues } from '../../reconcile/helm-release/compose-values.ts'
import { CommandFailed } from '../command-failed.ts'
import { withChartErrors } from '../helm/chart-errors.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import {
  type LocalReleaseOptions,
  releaseNamed,
  requestsFor,
  withLocalReleaseOptions,
  workOn,
} from '../local-release.ts'
import { localChart } from '../release-chart.ts'

interface Options extends HubOptions, LocalReleaseOptions {
  readonly dryRun: boolean
  readonly showSecrets: boolean
}

const examples = `
Examples:
  # What the hub would install or upgrade podinfo to
  keelson build helmrelease podinfo -n apps

  # The same with the HelmRelease and the chart as they are on this machine
  keelson build helmrelease podinfo -n apps --helmrelease-file ./podinfo.yaml --path ./charts/podinfo

  # Without a hub and a cluster: values from Secrets and ConfigMaps are left out, lookups find nothing
  keelson build helmrelease podinfo -n apps --helmrelease-file ./podinfo.yaml --path ./charts/podinfo --dry-run
`

/** `keelson build helmrelease`: prints what a HelmRelease would install, rendered against its cluster. */
export const buildHelmReleaseCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    withLocalReleaseOptions(
      new Command('helmrelease')
        .alias('hr')
        .summary('build what a HelmRelease would install')
        .description(
          'Renders the chart of a HelmRelease, including CRDs and hooks, with its values and post-renderers and for its current cluster.',
        )
        .argument('<name>', 'name of the HelmRelease'),
    ),
  )
    .option('--dry-run', 'use neither hub nor cluster; needs --helmrelease-file and --path', false)
    .option('--show-secrets', 'print the values of Secrets instead of masking them', false)
    .addHelpText('after', examples)
    .action((name: string, options: Options) =>
      withChartErrors(async () => {
        const text = options.dryRun ? await buildOffline(name, options) : await buildLive(name, options, env)
        output.write(options.showSecrets ? text : withMaskedSecrets(text))
      }),
    )

const buildLive = (name: string, options: Options, env: NodeJS.ProcessEnv): Promise<string> =>
  withHub(options, env, async hub => {
    const release = await releaseNamed(name, options, hub)
    const { deps, requests } = await workOn(release, options, hub)
    const { definitions, release: built } = await preview(deps, requests)
    const hooks = (built.hooks ?? []).map(({ path, manifest }) => section(path, manifest))
    return [...definitions.map(asDocument), built.manifest ?? '', ...hooks].join('')
  })

/** As a first installation on a cluster about which nothing is known. */
const buildOffline = async (name: string, options: Options): Promise<string> => {
  if (!options.helmreleaseFile || !options.path)
    throw new CommandFailed('--dry-run needs --helmrelease-file and --path')
  const release = await releaseNamed(name, options, undefined)
  const chart = await localChart(options.path)
  const { install } = requestsFor(release, { chart, values: await ownValues(release) }, options)
  const { functions, namespace, postRenderer, postRenderStrategy } = install
  const rendered = renderFiles(chart, install.values, {
    functions,
    release: { name: install.name, namespace, revision: 1, isUpgrade: false },
    capabilities: defaultCapabilities,
    ...(install.schemaValidation && { validate: validateValues }),
  })
  const { manifests, hooks } = postRenderer
    ? await postRender(rendered, postRenderer, postRenderStrategy)
    : sortManifests(rendered.files)
  const definitions = install.crds === 'Skip' ? [] : rendered.crds
  return [
    ...definitions.map(({ name, data }) => section(name, Buffer.from(data).toString('utf8'))),
    ...[...manifests, ...hooks].map(({ path, content }) => section(path, content)),
  ].join('')
}

const ownValues = (release: HelmRelease) => {
  const { valuesFrom, ...spec } = release.spec
  const nowhere = createReferences({
    get: async () => undefined,
    list: async () => ({ items: [], resourceVersion: '' }),
    async *referrers() {},
  })
  return composeValues({ ...release, spec }, nowhere)
}

const section = (path: string, content: string): string => `---\n# Source: ${path}\n${content}\n`

const asDocument = (object: object): string => `---\n${emitJson(object as JsonValue)}`

/** Only Secrets are written again; all other documents stay as the chart rendered them. */
const withMaskedSecrets = (text: string): string =>
  splitManifests(text)
    .map(document => `---\n${masked(document).trimEnd()}\n`)
    .join('')

const masked = (document: string): string => {
  if (!/^kind: *["']?Secret/m.test(document)) return document
  const [object] = parseYaml(document)
  if (!isObject(object) || object.kind !== 'Secret') return document
  const source = /^# Source: .*\n/m.exec(document)?.[0] ?? ''
  return source + emitJson({ ...object, ...maskedField(object, 'data'), ...maskedField(object, 'stringData') })
}

const maskedField = (object: JsonObject, field: 'data' | 'stringData'): JsonObject => {
  const values = object[field]
  return isObject(values) ? { [field]: Object.fromEntries(Object.keys(values).map(key => [key, '***'])) } : {}
}
