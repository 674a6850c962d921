/** AuthenticationConfiguration: the issuers whose JWTs authenticate users, as in the file of kube-apiserver's `--authentication-config`. */
import { flag, list, object, optional, type TypeOf, text } from '../../../../foundations/kinds/schema/schema.ts'
import { type ConfigurationKind, readConfiguration } from '../../configuration/read-configuration.ts'

const issuer = object('Who signs the tokens.', {
  url: optional(text('The claim `iss` of its tokens, and the base URL of its configuration.')),
  discoveryURL: optional(text('The URL of its configuration, if elsewhere.')),
  certificateAuthority: optional(text('PEM of the authorities that signed its certificate.')),
  audiences: optional(list('A token must be issued for one of them.', text('A claim `aud`.'))),
  audienceMatchPolicy: optional(text('`MatchAny`.')),
  egressSelectorType: optional(text('Not supported by a hub.')),
})

const mapped = (description: string) =>
  object(description, {
    claim: optional(text('The claim with the value.')),
    prefix: optional(text('Prepended to the claim.')),
    expression: optional(text('A CEL expression over `claims`.')),
  })

const claimMappings = object('The user of a token.', {
  username: optional(mapped('Its name.')),
  groups: optional(mapped('Its groups.')),
  uid: optional(
    object('Its UID.', {
      claim: optional(text('The claim with the value.')),
      expression: optional(text('A CEL expression over `claims`.')),
    }),
  ),
  extra: optional(
    list(
      'Further attributes.',
      object('A further attribute.', {
        key: optional(text('Its name: a path below a domain.')),
        valueExpression: optional(text('A CEL expression over `claims`.')),
      }),
    ),
  ),
})

const claimValidationRule = object('A condition on the claims.', {
  claim: optional(text('A claim that must exist.')),
  requiredValue: optional(text('The required value of the claim.')),
  expression: optional(text('A CEL expression over `claims`.')),
  message: optional(text('The error message if it is false.')),
})

const userValidationRule = object('A condition on the user.', {
  expression: optional(text('A CEL expression over `user`.')),
  message: optional(text('The error message if it is false.')),
})

const jwt = object('An issuer of tokens, and how its claims are read.', {
  issuer: optional(issuer),
  claimValidationRules: optional(list('Rules for claims.', claimValidationRule)),
  claimMappings: optional(claimMappings),
  userValidationRules: optional(list('Rules for users.', userValidationRule)),
})

const anonymous = object('Requests without credentials.', {
  enabled: optional(flag('Whether they are accepted.')),
  conditions: optional(list('Where.', object('A path.', { path: optional(text('A path.')) }))),
})

const schema = object('The issuers whose tokens authenticate users.', {
  jwt: optional(list('Issuers of tokens.', jwt)),
  anonymous: optional(anonymous),
})

export type JwtConfiguration = TypeOf<typeof jwt>
export type IssuerConfiguration = TypeOf<typeof issuer>
export type ClaimMappings = TypeOf<typeof claimMappings>
export type MappedClaim = TypeOf<ReturnType<typeof mapped>>
export type ClaimValidationRule = TypeOf<typeof claimValidationRule>
export type UserValidationRule = TypeOf<typeof userValidationRule>
export type AuthenticationConfiguration = TypeOf<typeof schema>

const authenticationConfiguration: ConfigurationKind<AuthenticationConfiguration> = {
  group: 'apiserver.config.k8s.io',
  kind: 'AuthenticationConfiguration',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  schema,
}

/** Reads such a file, without validating its values. Fails with a ConfigurationError. */
export const readAuthenticationConfiguration = (source: string): AuthenticationConfiguration =>
  readConfiguration(source, authenticationConfiguration)
