import { Command } from 'commander'
import { emitJson } from '../../engines/yaml/emit-json.ts'
import type { JsonValue } from '../../engines/yaml/json-value.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import {
  buildLocally,
  type LocalBuildOptions,
  type Lookup,
  lookupIn,
  requireFolder,
  withLocalBuildOptions,
} from '../local-build.ts'
import {
  findKustomization,
  isKustomization,
  isSame,
  kustomizationFromFile,
  liveKustomization,
  localFolderOf,
} from '../local-kustomization.ts'

interface Options extends HubOptions, LocalBuildOptions {
  readonly dryRun: boolean
}

const examples = `
Examples:
  # Build the files here as the Kustomization my-app of the hub would be built
  keelson build kustomization my-app --path ./deploy

  # The same without a hub; variables from Secrets and ConfigMaps are left out
  keelson build kustomization my-app --path ./deploy --kustomization-file ./my-app.yaml --dry-run

  # Go on with the Kustomizations among the objects
  keelson build kustomization my-app --path ./clusters/prod -r \\
    --local-sources GitRepository/flux-system/my-repo=.
`

/** `keelson build kustomization`: prints what a Kustomization would apply with local files as its source. */
export const buildKustomizationCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    withLocalBuildOptions(
      new Command('kustomization')
        .alias('ks')
        .summary('build what a Kustomization would apply')
        .description('Builds what a Kustomization of the hub would apply with a local folder as its source.')
        .argument('<name>', 'name of the Kustomization'),
    ),
  )
    .option('--dry-run', 'do not use the hub; needs --kustomization-file', false)
    .addHelpText('after', examples)
    .action(async (name: string, options: Options) => {
      for (const object of await build(name, options, env))
        output.write(`${emitJson(object as unknown as JsonValue)}---\n`)
    })

const build = async (name: string, options: Options, env: NodeJS.ProcessEnv): Promise<readonly KubernetesObject[]> => {
  const folder = requireFolder(options.path)
  const { kustomizationFile, namespace, dryRun } = options
  if (dryRun && !kustomizationFile) throw new CommandFailed('--dry-run needs --kustomization-file')
  const fromFile = kustomizationFile && kustomizationFromFile(kustomizationFile, name, namespace)
  if (dryRun && fromFile) return builtFrom(fromFile, folder, undefined, options)
  return withHub(options, env, async ({ cluster, signal }) => {
    const lookup = lookupIn(cluster, signal)
    const kustomization = fromFile || (await liveKustomization(lookup, name, namespace))
    return builtFrom(kustomization, folder, lookup, options)
  })
}

/** The objects of one Kustomization and, if requested, those of the Kustomizations among them. */
const builtFrom = async (
  kustomization: Kustomization,
  folder: string,
  lookup: Lookup,
  options: Options,
): Promise<readonly KubernetesObject[]> => {
  const { objects } = await buildLocally(kustomization, folder, lookup, options)
  if (!options.recursive) return objects
  const below: KubernetesObject[] = []
  for (const object of objects) {
    if (!isKustomization(object) || isSame(object, kustomization)) continue
    const found = object as Kustomization
    const { metadata } = found
    const namespace = metadata.namespace ?? kustomization.metadata.namespace ?? ''
    const live = lookup && (await findKustomization(lookup, metadata.name, namespace))
    below.push(...(await builtFrom(live ?? found, localFolderOf(found, options.localSources), lookup, options)))
  }
  return [...objects, ...below]
}
