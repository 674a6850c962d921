import { Command } from 'commander'
import { ApplyError } from '../../clusters/apply/apply-error.ts'
import { ActionFailed } from '../../clusters/helm-release/run.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { plan as planKind } from '../../foundations/kinds/plan.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'
import { CommandFailed } from '../command-failed.ts'
import { describePlan } from '../describe-plan.ts'
import { parseTarget } from '../flux-kinds.ts'
import { withChartErrors } from '../helm/chart-errors.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { type LocalBuildOptions, lookupIn, splitList } from '../local-build.ts'
import { kustomizationFromFile, liveKustomization } from '../local-kustomization.ts'
import type { LocalPlan } from '../local-plan.ts'
import { releaseNamed } from '../local-release.ts'
import { buildLimitsOption } from '../option-values.ts'
import type { Output } from '../output.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { isOfRunner, planByRunner } from '../plan-by-runner.ts'
import { planHelmRelease } from '../plan-helm-release.ts'
import { planKustomization } from '../plan-kustomization.ts'
import { planResourceSet } from '../plan-resource-set.ts'
import { unitOrFile } from '../unit-or-file.ts'

interface Options extends HubOptions, Pick<LocalBuildOptions, 'ignorePaths' | 'strictSubstitute' | 'buildLimits'> {
  readonly path?: string
  readonly revision?: string
  readonly kustomizationFile?: string
  readonly helmreleaseFile?: string
  readonly resourcesetFile?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # What the next reconciliation of shop would change on its cluster
  keelson plan kustomization/shop -n apps

  # What it would change if the files here were its source
  keelson plan kustomization/shop -n apps --path ./deploy

  # The upgrade of a HelmRelease, as JSON
  keelson plan helmrelease/podinfo -n apps -o json

  # What a ResourceSet would change if it were the one in a file
  keelson plan resourceset/tenants -n apps --resourceset-file ./tenants.yaml

Exit codes: 0 nothing would change, 1 something would, 2 the plan failed.
`

/** `keelson plan`: what applying a unit would change, by dry runs on its cluster. Changes nothing. */
export const planCommand = (env: NodeJS.ProcessEnv, output: Output): Command =>
  withHubOptions(
    new Command('plan')
      .summary('show what applying a unit would change')
      .description(
        'Builds a Kustomization, HelmRelease or ResourceSet, and shows what would be created, changed field by field, recreated and deleted on its cluster, what policies say to that, and who must approve it. Secret values are masked.',
      )
      .argument('<unit>', 'KIND/NAME, or KIND NAME')
      .argument('[name]', 'name of the unit, if not given as KIND/NAME'),
  )
    .option('--path <dir>', 'local folder as spec.path, or a local chart; by default what the hub has fetched')
    .option('--revision <revision>', 'fail unless this is the revision that the hub has: as a whole, or its commit')
    .option('--kustomization-file <file>', 'read the Kustomization from this file instead of the hub')
    .option('--helmrelease-file <file>', 'read the HelmRelease from this file instead of the hub')
    .option('--resourceset-file <file>', 'read the ResourceSet from this file instead of the hub')
    .option('--ignore-paths <patterns>', 'ignore these paths (.gitignore patterns, separated by commas)', splitList, [])
    .option('--strict-substitute', 'fail on variables that are not set and have no default', false)
    .addOption(buildLimitsOption())
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (word: string, name: string | undefined, options: Options) => {
      const found = await withChartErrors(() => withHub(options, env, hub => planOf(word, name, hub, options))).catch(
        (error: unknown) => {
          if (error instanceof CommandFailed || error instanceof ApplyError || error instanceof ActionFailed)
            throw new CommandFailed(error.message, { exitCode: 2, cause: error })
          throw error
        },
      )
      output.results.write(asDocument(documentOf(found, options.namespace), options.output) ?? describePlan(found))
      const { changes = [], errors = [], denied = [] } = found
      const problems = [...errors, denied].flat()
      if (problems.length > 0) throw new CommandFailed(problems.join('\n'), { exitCode: 2 })
      if (changes.length > 0)
        throw new CommandFailed('identified at least one change, exiting with non-zero exit code', { exitCode: 1 })
    })

const planOf = async (word: string, name: string | undefined, hub: HubAccess, options: Options): Promise<LocalPlan> => {
  const target = parseTarget(word)
  const unit = target.name ?? name
  if (!unit) throw new CommandFailed(`'${word}' does not name an object: use KIND/NAME`)
  const { namespace, kustomizationFile } = options
  switch (target.kind.kind) {
    case 'Kustomization': {
      const live = () => liveKustomization(lookupIn(hub.cluster, hub.signal), unit, namespace)
      const planOne = async (one: Kustomization) =>
        (await isOfRunner(one, hub)) ? planByRunner(one, hub, forRunner(options)) : planKustomization(one, hub, options)
      if (!kustomizationFile) return planOne(await live())
      const { status } = await live().catch(() => ({ status: undefined }))
      const given = kustomizationFromFile(kustomizationFile, unit, namespace)
      return planOne({ ...given, ...(status && { status }) })
    }
    case 'HelmRelease': {
      const release = await releaseNamed(unit, options, hub)
      return (await isOfRunner(release, hub))
        ? planByRunner(release, hub, forRunner(options))
        : planHelmRelease(release, hub, options)
    }
    case 'ResourceSet': {
      const { path, revision, resourcesetFile: file } = options
      if (path !== undefined || revision !== undefined)
        throw new CommandFailed('a ResourceSet has no source: --path and --revision do not go with it')
      const set = await unitOrFile(resourceSet, unit, { file, namespace }, hub)
      return (await isOfRunner(set, hub))
        ? planByRunner(set, hub, forRunner(options))
        : planResourceSet(set, hub, options)
    }
    default:
      throw new CommandFailed(
        `a ${target.kind.kind} can't be planned: name a Kustomization, a HelmRelease or a ResourceSet`,
      )
  }
}

/** What of the options a runner can't do: it has no files but those of the hub, and builds as its passes do. */
const forRunner = ({ revision, ...options }: Options) => {
  const flags = {
    '--path': options.path,
    '--kustomization-file': options.kustomizationFile,
    '--helmrelease-file': options.helmreleaseFile,
    '--resourceset-file': options.resourcesetFile,
    '--ignore-paths': options.ignorePaths.length > 0,
    '--strict-substitute': options.strictSubstitute,
  }
  return { revision, refused: Object.entries(flags).flatMap(([flag, given]) => (given ? flag : [])) }
}

const documentOf = (found: LocalPlan, namespace: string) => ({
  apiVersion: `${planKind.group}/${planKind.versions[0]!.name}`,
  kind: planKind.kind,
  metadata: { namespace },
  ...found,
})
