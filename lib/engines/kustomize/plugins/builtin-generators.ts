import { parseNodes } from '../../yaml/parse.ts'
import { generateConfigMap, generateSecret } from '../generators/config-data.ts'
import { type HelmChart, helmGenerator, helmOf } from '../generators/helm-charts.ts'
import type { StructForm } from '../go-struct.ts'
import type { GeneratorEntry } from '../kustomization.ts'
import { CONFIG_MAP_ARGS, HELM_CHART, HELM_GLOBALS, OBJECT_META, SECRET_ARGS, struct } from '../kustomization-form.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { Resource } from '../resource.ts'
import type { Generator, PluginEnvironment } from './plugin.ts'

/** A built-in generator of kustomize: the form of its configuration, and the step for a configuration. */
export interface BuiltinGenerator<Config> {
  readonly kind: string
  readonly form: StructForm
  /** Refuses all configurations, whatever their content. */
  readonly check?: (environment: PluginEnvironment) => void
  configure(config: Config, environment: PluginEnvironment): Generator['generate']
}

type DataConfig = GeneratorEntry & { readonly metadata: { readonly name: string; readonly namespace?: string } }

/** Name and namespace may also be in the metadata of the generator's file. */
const entryOf = ({ metadata, ...entry }: DataConfig): GeneratorEntry => ({
  ...entry,
  name: entry.name || metadata.name,
  namespace: entry.namespace || metadata.namespace,
})

const originOf = ({ file, loader }: PluginEnvironment): { file: string; overlay: string } => ({
  file,
  overlay: loader.directory,
})

const generating =
  (generate: typeof generateConfigMap): BuiltinGenerator<DataConfig>['configure'] =>
  (config, environment) =>
  () => [generate(entryOf(config), { ...environment, origin: originOf(environment) })]

const configMapGenerator: BuiltinGenerator<DataConfig> = {
  kind: 'ConfigMapGenerator',
  form: struct('ConfigMapGeneratorPlugin', { metadata: OBJECT_META }, [CONFIG_MAP_ARGS]),
  configure: generating(generateConfigMap),
}

const secretGenerator: BuiltinGenerator<DataConfig> = {
  kind: 'SecretGenerator',
  form: struct('SecretGeneratorPlugin', { metadata: OBJECT_META }, [SECRET_ARGS]),
  configure: generating(generateSecret),
}

interface IamConfig {
  readonly cloud?: string
  readonly kubernetesService?: { readonly name?: string; readonly namespace?: string }
  readonly serviceAccount?: { readonly name?: string; readonly projectId?: string }
}

/** A cluster service account bound to a cloud service account. */
export const iamPolicyGenerator: BuiltinGenerator<IamConfig> = {
  kind: 'IAMPolicyGenerator',
  form: struct('IAMPolicyGeneratorPlugin', {}, [
    struct('IAMPolicyGeneratorArgs', {
      cloud: { text: 'types.Cloud' },
      kubernetesService: struct('KubernetesService', { name: 'string', namespace: 'string' }),
      serviceAccount: struct('ServiceAccount', { name: 'string', projectId: 'string' }),
    }),
  ]),
  configure:
    ({ cloud = '', kubernetesService, serviceAccount }, environment) =>
    () => {
      if (cloud !== 'gke') throw new KustomizeError(`cloud provider ${cloud} not supported yet`, { field: 'cloud' })
      const { name = '', namespace = '' } = kubernetesService ?? {}
      const account = `${serviceAccount?.name ?? ''}@${serviceAccount?.projectId ?? ''}.iam.gserviceaccount.com`
      // As in kustomize: the name is inserted as text and may become anything in YAML.
      const text = [
        '\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:',
        `    iam.gke.io/gcp-service-account: ${account}`,
        `  name: ${name}\n`,
        ...(namespace === '' ? [] : [`  namespace: ${namespace}`]),
      ].join('\n')
      return [new Resource(parseNodes(text)[0]!, environment.schema, originOf(environment))]
    },
}

const helmChartInflationGenerator: BuiltinGenerator<HelmChart> = {
  kind: 'HelmChartInflationGenerator',
  form: struct('HelmChartInflationGeneratorPlugin', {}, [HELM_GLOBALS, HELM_CHART]),
  check: helmOf,
  configure: helmGenerator,
}

export const BUILTIN_GENERATORS: ReadonlyMap<string, BuiltinGenerator<never>> = new Map(
  [configMapGenerator, secretGenerator, iamPolicyGenerator, helmChartInflationGenerator].map(builtin => [
    builtin.kind,
    builtin as BuiltinGenerator<never>,
  ]),
)
