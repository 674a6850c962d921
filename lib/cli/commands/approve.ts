import { Command } from 'commander'
import type { Decision } from '../../foundations/fleet/decision.ts'
import type { SubjectKind } from '../../foundations/kinds/approval.ts'
import { plannedCounts } from '../../foundations/kinds/plan.ts'
import { CommandFailed } from '../command-failed.ts'
import { decide } from '../decide.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import type { Terminal } from '../terminal.ts'
import { guardedKinds, readUnit, requireHeld, unitNamed } from '../unit.ts'
import { readPlan } from './plans.ts'

interface Options extends HubOptions {
  readonly comment?: string
  readonly digest?: string
}

const examples = (verb: string): string => `
Examples:
  # What waits
  keelson plans -n apps

  # Decide, with a reason for the record
  keelson ${verb} kustomization-shop-0mjk1q2w3 -n apps --comment "as agreed in CHG-1234"

  # Only if the plan still is what you have read
  keelson ${verb} kustomization-shop-0mjk1q2w3 -n apps --digest sha256:4be2...

  # Deletions that a unit holds back as PruneGuarded: exactly the list that you have read
  keelson ${verb} kustomization/shop -n apps --digest sha256:91c0...

Exit codes: 0 when the decision is stored, 1 when you may not decide, or there is nothing to decide about.
`

/** `keelson approve`: approves a plan, or a list of deletions. Needs the verb `approve` on it. */
export const approveCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  decisionCommand('approve', 'Approved', env, terminal)

/** `keelson reject`: the opposite. */
export const rejectCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  decisionCommand('reject', 'Rejected', env, terminal)

const decisionCommand = (
  verb: 'approve' | 'reject',
  decision: Decision,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Command =>
  withHubOptions(
    new Command(verb)
      .summary(`${verb} a planned change, or deletions that wait`)
      .description(
        `Creates an Approval that ${verb}s a plan, or the deletions that a Kustomization, ResourceSet or HelmRelease holds back: exactly those with the digest. You need the verb approve on plans, or on the unit.`,
      )
      .argument('<plan|unit>', 'name of the plan, or KIND/NAME of the unit'),
  )
    .option('--comment <text>', 'reason of the decision')
    .option('--digest <digest>', 'fail unless the plan, or the list of deletions, has this digest; a unit needs it')
    .addHelpText('after', examples(verb))
    .action((name: string, options: Options) =>
      withHub(options, env, async hub => {
        const what = await (name.includes('/') ? decideAboutList : decideAboutPlan)(hub, name, decision, options)
        terminal.success(`${decision.toLowerCase()}: ${what}`)
      }),
    )

const decideAboutPlan = async (hub: HubAccess, name: string, decision: Decision, options: Options): Promise<string> => {
  const plan = await readPlan(hub, options.namespace, name)
  const { digest, expiresAt, unit, counts, revision = '' } = plan.spec
  const { phase } = plan.status ?? {}
  if (phase === 'Applied' || phase === 'Stale' || phase === 'Expired')
    throw new CommandFailed(`plan ${name} is ${phase}: there is nothing to decide about`)
  if (options.digest !== undefined && options.digest !== digest)
    throw new CommandFailed(`plan ${name} has the digest ${digest}, not ${options.digest}: read it again`)
  const subject = { kind: 'Plan', name } as const
  await decide(hub, plan, { subject, digest, decision, comment: options.comment, expiresAt }, name)
  return `${plannedCounts(counts) || 'no changes'} of ${unit.kind}/${unit.name} at ${revision}`
}

const decideAboutList = async (hub: HubAccess, word: string, decision: Decision, options: Options): Promise<string> => {
  const { kind, ref, title } = unitNamed(word, undefined, { namespace: options.namespace, kinds: guardedKinds })
  const { digest } = options
  if (digest === undefined)
    throw new CommandFailed(
      `name the list of ${title} by --digest: its condition PruneGuarded shows it, as \`keelson why\` does`,
    )
  const unit = await readUnit(hub, kind, ref)
  requireHeld(unit, title, digest)
  const subject = { kind: ref.kind as SubjectKind, name: ref.name }
  await decide(
    hub,
    unit,
    { subject, digest, decision, comment: options.comment },
    `${ref.kind.toLowerCase()}-${ref.name}`,
  )
  return `the deletions of ${title} with digest ${digest}`
}
