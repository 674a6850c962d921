import { Command } from 'commander'
import type { Decision } from '../../foundations/fleet/decision.ts'
import type { Approval, SubjectKind } from '../../foundations/kinds/approval.ts'
import { type Plan, plannedCounts } from '../../foundations/kinds/plan.ts'
import { digestOfPlan, signApproval } from '../../foundations/rules/approval-statement.ts'
import { CommandFailed } from '../command-failed.ts'
import { decide } from '../decide.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { readSigner } from '../private-key.ts'
import type { Terminal } from '../terminal.ts'
import { guardedKinds, readUnit, requireHeld, unitNamed } from '../unit.ts'
import { readPlan } from './plans.ts'

interface Options extends HubOptions {
  readonly comment?: string
  readonly digest?: string
  readonly signWith?: string
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
${
  verb === 'approve'
    ? `
  # For a runner that demands signatures: exactly what keelson plans has shown, with the digest that it printed to sign
  keelson approve kustomization-shop-0mjk1q2w3 -n apps --sign-with jane.key --digest sha256:77d2...
`
    : ''
}
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
): Command => {
  const command = withHubOptions(
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
  if (verb === 'reject') return command
  return command.option(
    '--sign-with <file>',
    'sign the approval, for a runner that demands it, with this private key in PEM: Ed25519, ECDSA P-256 or RSA; needs the digest to sign that keelson plans prints',
  )
}

const decideAboutPlan = async (hub: HubAccess, name: string, decision: Decision, options: Options): Promise<string> => {
  const plan = await readPlan(hub, options.namespace, name)
  const { digest, expiresAt, unit, counts, revision = '' } = plan.spec
  const { phase } = plan.status ?? {}
  if (phase === 'Applied' || phase === 'Stale' || phase === 'Expired')
    throw new CommandFailed(`plan ${name} is ${phase}: there is nothing to decide about`)
  const signature = decision === 'Approved' ? signatureOf(plan, options) : undefined
  if (!signature && options.digest !== undefined && options.digest !== digest)
    throw new CommandFailed(`plan ${name} has the digest ${digest}, not ${options.digest}: read it again`)
  const subject = { kind: 'Plan', name } as const
  const { comment } = options
  await decide(hub, plan, { subject, digest, decision, comment, expiresAt, ...(signature && { signature }) }, name)
  return `${plannedCounts(counts) || 'no changes'} of ${unit.kind}/${unit.name} at ${revision}`
}

/** The hub might show another plan here than it has shown before: so the digest is needed, of what was read then. */
const signatureOf = (plan: Plan, { signWith, digest }: Options): Approval['spec']['signature'] => {
  const { metadata, spec } = plan
  const { signedFor } = spec.approvals ?? {}
  const how = `--sign-with KEY --digest DIGEST, with the digest to sign that \`keelson plans ${metadata.name}\` prints`
  if (signedFor === undefined && signWith === undefined) return undefined
  if (signedFor === undefined)
    throw new CommandFailed(`plan ${metadata.name} is for no runner that demands signatures: leave out --sign-with`)
  if (signWith === undefined || digest === undefined)
    throw new CommandFailed(
      `the runner of Cluster ${signedFor} counts approvals with a signature by one of its keys only: add ${how}`,
    )
  const shown = digestOfPlan(plan)
  if (digest !== shown)
    throw new CommandFailed(`plan ${metadata.name} has the digest ${shown} to sign, not ${digest}: read it again`)
  return signApproval(plan, signedFor, readSigner(signWith), Date.now())
}

const decideAboutList = async (hub: HubAccess, word: string, decision: Decision, options: Options): Promise<string> => {
  const { kind, ref, title } = unitNamed(word, undefined, { namespace: options.namespace, kinds: guardedKinds })
  const { digest } = options
  if (options.signWith !== undefined) throw new CommandFailed('--sign-with is for plans: no runner counts it here')
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
