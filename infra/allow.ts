import { Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'

export interface Allowed {
  readonly service: string
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly conditions?: Readonly<Record<string, unknown>>
  /** Why the resources need a wildcard: cdk-nag requires a reason. */
  readonly wildcard?: string
}

/** Adds a statement to a role's policy, unless `resources` is empty. */
export const allow = (role: Role, { service, actions, resources, conditions, wildcard }: Allowed): void => {
  if (resources.length === 0) return
  role.addToPolicy(
    new PolicyStatement({
      actions: actions.map(action => `${service}:${action}`),
      resources: [...resources],
      ...(conditions && { conditions: { ...conditions } }),
    }),
  )
  if (wildcard === undefined) return
  const stack = Stack.of(role)
  for (const resource of resources) {
    const id = `AwsSolutions-IAM5[Resource::${readable(stack.resolve(resource))}]`
    Validations.of(role).acknowledge({ id, reason: wildcard })
  }
}

/** A resolved ARN in the format of cdk-nag: references in angle brackets. */
const readable = (resolved: unknown): string => {
  if (typeof resolved === 'string') return resolved
  const reference = resolved as { Ref?: string; 'Fn::GetAtt'?: string[]; 'Fn::Join'?: [string, unknown[]] }
  if (reference.Ref) return `<${reference.Ref}>`
  if (reference['Fn::GetAtt']) return `<${reference['Fn::GetAtt'].join('.')}>`
  const [separator, parts] = reference['Fn::Join'] ?? ['', []]
  return parts.map(readable).join(separator)
}
