import { mapNode, stringNode } from '../../yaml/node.ts'
import { generateConfigMap, generateSecret } from '../generators/config-data.ts'
import { type HelmChart, helmGenerator } from '../generators/helm-charts.ts'
import type { StructForm } from '../go-struct.ts'
import type { GeneratorEntry } from '../kustomization.ts'
import { CONFIG_MAP_ARGS, HELM_CHART, HELM_GLOBALS, SECRET_ARGS } from '../kustomization-form.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { createPath, setFieldOf } from '../node-path.ts'
import { Resource } from '../resource.ts'
import type { Generator, PluginEnvironment } from './plugin.ts'

/** A generator that kustomize has built in: the form of its configuration, and the step that one asks for. */
export interface BuiltinGenerator<Config> {
  readonly form: StructForm
  configure(config: Config, environment: PluginEnvironment): Generator['generate']
}

const METADATA = { struct: 'ObjectMeta', fields: { name: 'string', namespace: 'string' } } as const

type DataConfig = GeneratorEntry & { readonly metadata?: { readonly name?: string; readonly namespace?: string } }

/** Name and namespace may also stand in the metadata of the generator's file. */
const entryOf = ({ metadata, ...entry }: DataConfig): GeneratorEntry => ({
  ...entry,
  name: entry.name || metadata?.name,
  namespace: entry.namespace || metadata?.namespace,
})

const originOf = ({ file, loader }: PluginEnvironment): { file: string; overlay: string } => ({
  file,
  overlay: loader.directory,
})

const configMapGenerator: BuiltinGenerator<DataConfig> = {
  form: { struct: 'ConfigMapGenerator', fields: { ...CONFIG_MAP_ARGS.fields, metadata: METADATA } },
  configure: (config, environment) => () => [
    generateConfigMap(entryOf(config), { ...environment, origin: originOf(environment) }),
  ],
}

const secretGenerator: BuiltinGenerator<DataConfig> = {
  form: { struct: 'SecretGenerator', fields: { ...SECRET_ARGS.fields, metadata: METADATA } },
  configure: (config, environment) => () => [
    generateSecret(entryOf(config), { ...environment, origin: originOf(environment) }),
  ],
}

interface IamConfig {
  readonly cloud?: string
  readonly kubernetesService?: { readonly name?: string; readonly namespace?: string }
  readonly serviceAccount?: { readonly name?: string; readonly projectId?: string }
}

/** A service account of the cluster bound to one of the cloud. */
export const iamPolicyGenerator: BuiltinGenerator<IamConfig> = {
  form: {
    struct: 'IAMPolicyGenerator',
    fields: {
      cloud: 'string',
      kubernetesService: { struct: 'ServiceAccount', fields: { name: 'string', namespace: 'string' } },
      serviceAccount: { struct: 'ServiceAccount', fields: { name: 'string', projectId: 'string' } },
    },
  },
  configure:
    ({ cloud = '', kubernetesService = {}, serviceAccount = {} }, environment) =>
    () => {
      if (cloud !== 'gke') throw new KustomizeError(`cloud provider ${cloud} not supported yet`, { field: 'cloud' })
      const root = mapNode([
        stringNode('apiVersion'),
        stringNode('v1'),
        stringNode('kind'),
        stringNode('ServiceAccount'),
      ])
      const account = `${serviceAccount.name ?? ''}@${serviceAccount.projectId ?? ''}.iam.gserviceaccount.com`
      setFieldOf(
        createPath(root, ['metadata', 'annotations'], 'map')!,
        'iam.gke.io/gcp-service-account',
        stringNode(account),
      )
      const metadata = createPath(root, ['metadata'], 'map')!
      setFieldOf(metadata, 'name', stringNode(kubernetesService.name ?? ''))
      if (kubernetesService.namespace) setFieldOf(metadata, 'namespace', stringNode(kubernetesService.namespace))
      return [new Resource(root, environment.schema, originOf(environment))]
    },
}

const helmChartInflationGenerator: BuiltinGenerator<HelmChart> = {
  form: {
    struct: 'HelmChartInflationGenerator',
    fields: { ...HELM_GLOBALS.fields, ...HELM_CHART.fields, metadata: METADATA },
  },
  configure: helmGenerator,
}

export const BUILTIN_GENERATORS: ReadonlyMap<string, BuiltinGenerator<never>> = new Map(
  [configMapGenerator, secretGenerator, iamPolicyGenerator, helmChartInflationGenerator].map(builtin => [
    builtin.form.struct,
    builtin as BuiltinGenerator<never>,
  ]),
)
