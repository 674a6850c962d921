import { type BuildCache, type BuildOptions, build, type Remotes } from '../../../engines/kustomize/build.ts'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import type { Helm } from '../../../engines/kustomize/generators/helm.ts'
import { KustomizeError, placeOf } from '../../../engines/kustomize/kustomize-error.ts'
import type { PluginRunner } from '../../../engines/kustomize/plugins/exec/plugin-runner.ts'
import { readResources } from '../../../engines/kustomize/read-resources.ts'
import type { ResourceOrigin } from '../../../engines/kustomize/resource.ts'
import { BuildSchema } from '../../../engines/kustomize/schema/build-schema.ts'
import type { JsonObject } from '../../../engines/yaml/json-value.ts'
import { Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { KustomizationSettings } from '../settings.ts'
import type { Rendered } from './build-cache.ts'
import { editsOf, withKustomizationFile } from './kustomization-file.ts'
import { withLine } from './locate.ts'

/** What a build may use besides the files of its source. */
export interface RenderPorts {
  /** Fetches remote bases; if absent, they are refused. */
  readonly remotes?: Remotes | undefined
  /** Runs the plugins of the API groups that the settings allow; if absent, there are none. */
  readonly plugins?: PluginRunner | undefined
  /** Renders `helmCharts`; if absent, they are refused as by kustomize-controller. */
  readonly helm?: Helm | undefined
  /** The cache of the previous build. */
  readonly cache?: BuildCache | undefined
}

/** Builds a folder of a source with kustomize. Fails with kustomize's wording plus the file and field at fault, or with BudgetExceeded. */
export const renderFolder = async (
  files: FileSystem,
  folder: string,
  spec: KustomizationSpec,
  ports: RenderPorts,
  settings: Pick<KustomizationSettings, 'noRemoteBases' | 'pluginGroups'>,
  budget = new Budget(),
): Promise<Rendered> => {
  const prepared = withKustomizationFile(files, folder, editsOf(spec), budget)
  const { options, ranPrograms } = buildOptions(ports, settings)
  try {
    const { resources, filesRead } = await build(prepared.files, folder, { ...options, budget })
    const manifests = resources.map(({ object, yaml, origin }) => {
      requireIdentity(object)
      return { object: object as unknown as KubernetesObject, yaml, origin: describeOrigin(origin) }
    })
    return { manifests, isRepeatable: !ranPrograms() && !filesRead.some(({ remote }) => remote) }
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    for (const file of prepared.manifests) requireManifests(files, file)
    const place = error instanceof KustomizeError ? placeOf(located(error, files)) : ''
    throw new Error(`kustomize build failed: ${errorMessage(error)}${place}`, { cause: error })
  }
}

/** Adds the line of the field in the source's file: fields that come from spec.patches and the like have none. */
const located = ({ message, file, field, step }: KustomizeError, files: FileSystem): KustomizeError =>
  new KustomizeError(message, {
    file: file && withLine(files, file, step ? undefined : field),
    field,
    step: step && { ...step, file: withLine(files, step.file, step.field) },
  })

const buildOptions = (
  { remotes = refusedRemotes, plugins, helm, cache }: RenderPorts,
  { noRemoteBases, pluginGroups: groups }: Pick<KustomizationSettings, 'noRemoteBases' | 'pluginGroups'>,
): { options: BuildOptions; ranPrograms(): boolean } => {
  let runs = 0
  const counted = (runner: PluginRunner): PluginRunner => ({
    locate: path => runner.locate(path),
    run: request => {
      runs++
      return runner.run(request)
    },
  })
  const countedHelm = (own: Helm): Helm => ({
    pull: chart => own.pull(chart),
    template: (inflation, budget) => {
      runs++
      return own.template(inflation, budget)
    },
  })
  return {
    options: {
      remotes: noRemoteBases ? refusedRemotes : remotes,
      ...(plugins && groups.length > 0 && { plugins: { runner: counted(plugins), groups } }),
      ...(helm && { helm: { helm: countedHelm(helm) } }),
      ...(cache && { cache }),
    },
    ranPrograms: () => runs > 0,
  }
}

const refuseRemote = async (): Promise<never> => {
  throw new Error('remote bases are not allowed here (--no-remote-bases): make the repository a source of its own')
}

const refusedRemotes: Remotes = { file: refuseRemote, repository: refuseRemote }

/** In a folder without a kustomization file, every YAML file must contain Kubernetes objects (KS-068). */
const requireManifests = (files: FileSystem, file: string): void => {
  try {
    readResources(files.read(file) ?? '', { schema: new BuildSchema() }, { file, overlay: '' })
  } catch (error) {
    throw new Error(`failed to decode Kubernetes YAML from /${file}: ${errorMessage(error)}`, { cause: error })
  }
}

const requireIdentity = (object: JsonObject): void => {
  const { apiVersion, kind, metadata } = object as unknown as KubernetesObject
  if (apiVersion && kind && metadata?.name) return
  const known = { apiVersion, kind, metadata } // none of its data, which may be secret
  throw new Error(`failed to decode Kubernetes apiVersion, kind and name from: ${JSON.stringify(known)}`)
}

const describeOrigin = ({ file, overlay }: ResourceOrigin): string => {
  const folder = file.slice(0, Math.max(file.lastIndexOf('/'), 0))
  return overlay === folder ? file : `${file}, overlay ${overlay || '.'}`
}
