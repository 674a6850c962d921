import { Match, type Template } from 'aws-cdk-lib/assertions'

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: unknown
  readonly Condition?: unknown
}

interface Policy {
  readonly Properties: {
    readonly PolicyDocument: { readonly Statement: readonly Statement[] }
    readonly Roles: readonly { readonly Ref: string }[]
  }
}

/** All that the roles of a template may do, as text to read: a paragraph to each role, a line to each resource. */
export function permissionsIn(template: Template): string {
  template.resourcePropertiesCountIs('AWS::IAM::Role', { ManagedPolicyArns: Match.anyValue() }, 0) // others may change them
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as Policy[]
  const paragraphs = policies.map(({ Properties: { Roles, PolicyDocument } }) => {
    const lines = PolicyDocument.Statement.flatMap(linesOf).sort()
    return `${Roles.map(({ Ref }) => withoutHash(Ref)).join(', ')}\n${lines.map(line => `  ${line}\n`).join('')}`
  })
  return paragraphs.sort().join('\n')
}

function linesOf({ Effect, Action, Resource, Condition }: Statement): string[] {
  const actions = [Action].flat().sort().join(' ')
  const condition = Condition === undefined ? '' : ` if ${JSON.stringify(Condition)}`
  return [Resource].flat().map(resource => `${Effect} ${readable(resource)}: ${actions}${condition}`)
}

function readable(value: unknown): string {
  if (typeof value === 'string') return value
  const reference = value as { Ref?: string; 'Fn::GetAtt'?: string[]; 'Fn::Join'?: [string, unknown[]] }
  if (reference.Ref) return `<${reference.Ref}>`
  if (reference['Fn::GetAtt']) return `<${withoutHash(reference['Fn::GetAtt'][0]!)}>`
  const [separator, parts] = reference['Fn::Join']!
  return parts.map(readable).join(separator)
}

/** Logical ids end in eight digits of a hash. */
function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '')
}
