import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { localPlugins } from '../../compose/local-plugins.ts'
import { localHelm, localRemotes, localTree } from '../../compose/this-machine.ts'
import {
  type BuildOptions,
  type BuildResult,
  build,
  printResources,
  type Remotes,
} from '../../engines/kustomize/build.ts'
import { KustomizeError, placeOf } from '../../engines/kustomize/kustomize-error.ts'
import { parseRemoteTarget } from '../../engines/kustomize/remote-target.ts'
import { Budget, BudgetExceeded, type Limits } from '../../foundations/budget/budget.ts'
import { CommandFailed } from '../command-failed.ts'
import { allowGoBooleans } from '../go-switches.ts'
import { isDirectory, printInputs, writeEach } from '../kustomize-output.ts'
import { buildLimitsOption, textList } from '../option-values.ts'

interface KustomizeOptions {
  readonly output?: string
  readonly inputs: boolean
  readonly reorder: 'legacy' | 'none'
  readonly loadRestrictor: 'LoadRestrictionsRootOnly' | 'LoadRestrictionsNone'
  readonly enableManagedbyLabel: boolean
  readonly buildLimits: Limits
  readonly enableHelm: boolean
  readonly helmCommand?: string
  readonly helmKubeVersion: string
  readonly helmApiVersions: readonly string[]
  readonly helmDebug: boolean
  readonly enableAlphaPlugins: boolean
  readonly enableExec: boolean
  readonly pluginGroups: readonly string[]
  readonly strictPlugins: boolean
  readonly network: boolean
  readonly env: readonly string[]
}

const examples = `
Examples:
  # Build the current directory
  keelson kustomize

  # Build a directory, with bases and patches outside of it
  keelson kustomize overlays/staging --load-restrictor LoadRestrictionsNone

  # Build a directory of a repository
  keelson kustomize 'https://github.com/kubernetes-sigs/kustomize.git/examples/helloWorld?ref=v1.0.6'

  # Write every object to a file of its own
  keelson kustomize overlays/staging -o rendered/

  # Let the plugins of one API group run
  keelson kustomize . --enable-alpha-plugins --plugin-groups team.example.com
`

/** `keelson kustomize`: builds a directory like kubectl kustomize, and prints the objects. */
export const kustomizeCommand = (output: NodeJS.WritableStream, errors: NodeJS.WritableStream): Command =>
  allowGoBooleans(
    new Command('kustomize')
      .summary('build a kustomization')
      .description('Builds the kustomization in a directory and prints its objects, byte for byte as kustomize does.')
      .argument('[dir]', 'directory with a kustomization.yaml, or the URL of one in a git repository', '.')
      .option('-o, --output <path>', 'write to this file, or to a file per object in this directory')
      .option('--inputs', "print the build's inputs instead: files with digests, and the origins of objects", false)
      .addOption(new Option('--reorder <order>', 'order of the objects').choices(['legacy', 'none']).default('legacy'))
      .addOption(
        new Option('--load-restrictor <rule>', 'whether files outside the kustomization may be read')
          .choices(['LoadRestrictionsRootOnly', 'LoadRestrictionsNone'])
          .default('LoadRestrictionsRootOnly'),
      )
      .addOption(buildLimitsOption())
      .option('--enable-managedby-label', 'label all objects with app.kubernetes.io/managed-by', false)
      .option('--enable-helm', 'render helmCharts', false)
      .option('--helm-command <program>', 'render charts with this helm program instead of the built-in engine')
      .option('--helm-kube-version <version>', 'Kubernetes version to render charts for', '')
      .option('--helm-api-versions <version>', 'API version available to charts; may be repeated', collect, [])
      .option('--helm-debug', 'show more output of the helm program when it fails', false)
      .option('--enable-alpha-plugins', 'allow plugins and helm to run', false)
      .option('--enable-exec', 'with --enable-alpha-plugins: allow functions that are programs in the tree', false)
      .option(
        '--plugin-groups <groups>',
        'API groups whose installed plugins may run, separated by commas',
        textList,
        [],
      )
      .option('--strict-plugins', 'run every plugin twice, and fail if its output differs', false)
      .option('-e, --env <variable>', 'environment of functions, as NAME=VALUE; may be repeated', collect, [])
      .option('--network', 'allow plugins and functions to use the network', false)
      .option('--network-name <name>', 'network of containers, which are not run here', 'bridge')
      .option('--mount <options>', 'storage of containers, which are not run here', collect, [])
      .option('--as-current-user', 'user of containers, which are not run here', false)
      .addHelpText('after', examples)
      .action((dir: string, options: KustomizeOptions) => run(dir, options, output, errors)),
  )

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value]

const run = async (
  dir: string,
  options: KustomizeOptions,
  output: NodeJS.WritableStream,
  errors: NodeJS.WritableStream,
): Promise<void> => {
  const result = await buildDirectory(dir, options)
  const { resources, warnings } = result
  for (const warning of warnings) errors.write(`${warning}\n`)
  if (options.inputs) output.write(printInputs(result))
  else if (options.output === undefined) output.write(printResources(resources))
  else if (isDirectory(options.output)) writeEach(options.output, resources)
  else writeFileSync(options.output, printResources(resources))
}

const buildDirectory = async (dir: string, options: KustomizeOptions): Promise<BuildResult> => {
  const remotes = localRemotes()
  try {
    return await buildAt(dir, remotes, await buildOptions(options))
  } catch (error) {
    if (error instanceof BudgetExceeded) throw new CommandFailed(error.message, { cause: error })
    if (!(error instanceof KustomizeError)) throw error
    throw new CommandFailed(error.message + placeOf(error, '/'), { cause: error })
  } finally {
    await remotes.close()
  }
}

const buildAt = async (dir: string, remotes: Remotes, options: BuildOptions): Promise<BuildResult> => {
  const repository = parseRemoteTarget(dir)
  if (!repository) return build(localTree(), resolve(dir).slice(1), { ...options, remotes })
  const tree = await remotes.repository(repository).catch(error => {
    throw new CommandFailed((error as Error).message, { cause: error })
  })
  return build(tree, repository.path, { ...options, loadRestrictions: 'root-only', remotes })
}

const buildOptions = async (options: KustomizeOptions): Promise<BuildOptions> => {
  const { enableAlphaPlugins, enableExec, pluginGroups, strictPlugins, network, env } = options
  const { enableHelm, helmCommand, helmKubeVersion, helmApiVersions, helmDebug } = options
  return {
    reorder: options.reorder,
    loadRestrictions: options.loadRestrictor === 'LoadRestrictionsNone' ? 'none' : 'root-only',
    managedByLabel: options.enableManagedbyLabel,
    budget: new Budget(options.buildLimits),
    ...((enableHelm || enableAlphaPlugins) && {
      helm: {
        helm: await localHelm(helmCommand),
        ...(helmKubeVersion && { kubeVersion: helmKubeVersion }),
        ...(helmApiVersions.length > 0 && { apiVersions: helmApiVersions }),
        ...(helmDebug && { debug: true }),
      },
    }),
    ...(enableAlphaPlugins && {
      plugins: {
        runner: await localPlugins(network),
        groups: pluginGroups,
        localFunctions: enableExec,
        strict: strictPlugins,
        functionEnvironment: env,
        functionNetwork: network,
      },
    }),
  }
}
