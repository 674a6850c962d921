import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Plan, plan as planKind, plannedCounts } from '../../foundations/kinds/plan.ts'
import { shortRevision } from '../../foundations/kinds/run.ts'
import { CommandFailed } from '../command-failed.ts'
import { describePlan } from '../describe-plan.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly phase?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # Plans that wait for an approval, in all namespaces
  keelson plans -A --phase Waiting

  # What the end of a freeze will change
  keelson plans -A --phase Scheduled

  # What one of them would change, field by field
  keelson plans kustomization-shop-0mjk1q2w3 -n apps

Exit codes: 0 when the plans could be read, 1 when not.
`

/** `keelson plans`: the changes that wait for an approval or a window, and those that were approved or rejected. */
export const plansCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('plans')
      .summary('list changes that wait for approval or a window, or show one')
      .description(
        'Lists the plans of units whose changes need approval or wait for a window, newest first, or shows one with its changes.',
      )
      .argument('[name]', 'name of a plan'),
  )
    .option('-A, --all-namespaces', 'plans of all namespaces', false)
    .option(
      '--phase <phase>',
      'only plans in this phase: Waiting, Scheduled, Approved, Rejected, Applied, Stale, Expired',
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((name: string | undefined, options: Options) =>
      withHub(options, env, async hub => {
        if (name !== undefined) {
          const plan = await readPlan(hub, options.namespace, name)
          output.write(asDocument(plan, options.output) ?? describePlan(plan))
          return
        }
        const found = await listPlans(hub, options)
        output.write(
          asDocument({ apiVersion: 'v1', kind: 'List', items: found }, options.output) ?? tableOf(found, options),
        )
      }),
    )

const apiVersion = apiVersionOf(planKind as unknown as Kind)

/** Throws CommandFailed if there is no such Plan. */
export const readPlan = async ({ cluster, signal }: HubAccess, namespace: string, name: string): Promise<Plan> => {
  const ref = { group: planKind.group, kind: planKind.kind, namespace, name }
  const found = (await cluster.get(apiVersion, ref, { signal })) as Plan | undefined
  if (!found) throw new CommandFailed(`Plan ${namespace}/${name} not found`)
  return found
}

const listPlans = async (
  { cluster, signal }: HubAccess,
  { allNamespaces, namespace, phase }: Options,
): Promise<readonly Plan[]> => {
  const { items } = await cluster.list(
    { apiVersion, kind: planKind.kind, ...(!allNamespaces && { namespace }) },
    { signal },
  )
  return (items as readonly Plan[])
    .filter(({ status }) => phase === undefined || status?.phase.toLowerCase() === phase.toLowerCase())
    .toSorted((a, b) => Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? ''))
}

const tableOf = (plans: readonly Plan[], { allNamespaces, output }: Options): string =>
  table(
    [
      ...(allNamespaces ? ['NAMESPACE'] : []),
      ...['NAME', 'AGE', 'UNIT', 'REVISION', 'CHANGES', 'PHASE', 'BY'],
      ...(output === 'wide' ? ['AUTHOR', 'EXPIRES', 'MESSAGE'] : []),
    ],
    plans.map(({ metadata, spec, status }) => [
      ...(allNamespaces ? [metadata.namespace ?? ''] : []),
      metadata.name,
      ageOf(metadata.creationTimestamp ?? '', Date.now()),
      `${spec.unit.kind}/${spec.unit.name}`,
      shortRevision(spec.revision),
      plannedCounts(spec.counts),
      status?.phase ?? '',
      status?.rejectedBy ?? (status?.approvedBy ?? []).join(','),
      ...(output === 'wide' ? [spec.author ?? '', spec.expiresAt ?? '', status?.message ?? ''] : []),
    ]),
  )
