/** Reviews of a user's identity and permissions: created with the result in the response, and never stored. */

import { isObject, type JsonObject } from '../../../foundations/kinds/json-object.ts'
import type { FieldError } from '../../../foundations/kinds/schema/field-error.ts'
import { invalid as invalidField } from '../../../foundations/kinds/schema/field-error.ts'
import { badRequest, invalid, noSuchResource } from '../../store/api-errors.ts'
import type { Authorizer, User } from '../authentication/caller.ts'
import type { AuthenticateToken } from '../authentication/token-review.ts'
import { methodNotAllowed } from '../refusals.ts'
import type { ResourceRequest } from '../request-info.ts'
import { requireAllowed } from '../require-allowed.ts'
import { bodyObject } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'

const authentication = 'authentication.k8s.io'
const authorization = 'authorization.k8s.io'

/** As in discovery. */
export const reviewResources = [
  { group: authentication, version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
  { group: authentication, version: 'v1', plural: 'tokenreviews', kind: 'TokenReview', namespaced: false },
  {
    group: authorization,
    version: 'v1',
    plural: 'localsubjectaccessreviews',
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
  },
  {
    group: authorization,
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
  },
  {
    group: authorization,
    version: 'v1',
    plural: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    namespaced: false,
  },
  {
    group: authorization,
    version: 'v1',
    plural: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    namespaced: false,
  },
] as const

type ReviewKind = (typeof reviewResources)[number]['kind']
interface ReviewContext {
  readonly spec: JsonObject
  /** '' except for local reviews. */
  readonly namespace: string
  readonly user: User
  readonly authorizer: Authorizer
  readonly identify: AuthenticateToken
  /** RFC 3339. */
  readonly now: string
}

/** Responds to a review; undefined for other resources. Fails with Forbidden if the user may not create it. */
export const review = async (
  request: Request,
  info: ResourceRequest,
  user: User,
  context: Pick<ReviewContext, 'authorizer' | 'identify' | 'now'>,
): Promise<Response | undefined> => {
  const { verb, ...attributes } = info
  const { group, version, resource: plural, namespace, name, subresource } = attributes
  const resource = reviewResources.find(known => known.group === group && known.plural === plural)
  if (!resource || version !== resource.version || subresource) return undefined
  await requireAllowed(
    { user, verb, path: new URL(request.url).pathname, resource: attributes },
    context.authorizer.authorize,
  )
  if (resource.namespaced !== (namespace !== '')) return undefined
  if (name) throw noSuchResource()
  if (verb !== 'create') throw methodNotAllowed()
  const apiVersion = `${group}/${version}`
  const body = await bodyObject(request, resource.kind)
  if ((body.kind ?? resource.kind) !== resource.kind)
    throw badRequest(`the kind in the data (${body.kind}) does not match the expected kind (${resource.kind})`)
  const spec = isObject(body.spec) ? body.spec : {}
  const status = await statusOf[resource.kind]({ spec, namespace, user, ...context })
  const metadata = {
    ...(namespace && { namespace }),
    ...(resource.kind === 'SelfSubjectReview' && { creationTimestamp: context.now }),
  }
  const result = { kind: resource.kind, apiVersion, metadata, ...shownSpec(resource.kind, spec), status }
  return respond({ request }, JSON.stringify(result), 'json', 201)
}

/** A SelfSubjectReview's spec is only returned if it is about permissions. */
const shownSpec = (kind: ReviewKind, spec: JsonObject): { readonly spec?: JsonObject } => {
  if (kind === 'SelfSubjectReview') return {}
  return { spec: kind === 'SelfSubjectRulesReview' ? {} : spec }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : [])

const statusOf: Readonly<Record<ReviewKind, (context: ReviewContext) => Promise<unknown>>> = {
  SelfSubjectReview: async ({ user }) => ({ userInfo: userInfo(user) }),

  TokenReview: async ({ spec, identify }) => {
    const token = text(spec.token)
    if (!token) throw badRequest('token is required for TokenReview in authentication')
    const found = await identify(token, texts(spec.audiences))
    if ('error' in found) return { user: {}, error: found.error }
    const { user, audiences } = found
    return { authenticated: true, user: userInfo(user), audiences }
  },

  SelfSubjectAccessReview: async ({ spec, user, authorizer }) => accessStatus(spec, user, authorizer),

  SubjectAccessReview: async ({ spec, authorizer }) => {
    const user = subjectOf(spec)
    return accessStatus(spec, user, authorizer, user.name || user.groups.length > 0 ? [] : [subjectRequired])
  },

  LocalSubjectAccessReview: async ({ spec, namespace, authorizer }) => {
    const { resourceAttributes, nonResourceAttributes } = spec
    const user = subjectOf(spec)
    const inside = isObject(resourceAttributes) ? text(resourceAttributes.namespace) : namespace
    return accessStatus(spec, user, authorizer, [
      ...(user.name || user.groups.length > 0 ? [] : [subjectRequired]),
      ...(nonResourceAttributes
        ? [
            invalidField(
              'spec.nonResourceAttributes',
              shownPath(nonResourceAttributes),
              'disallowed on this kind of request',
            ),
          ]
        : []),
      ...(inside === namespace
        ? []
        : [invalidField('spec.resourceAttributes.namespace', inside, 'must match metadata.namespace')]),
    ])
  },

  SelfSubjectRulesReview: async ({ spec, user, authorizer }) => {
    const namespace = text(spec.namespace)
    if (!namespace) throw badRequest('no namespace on request')
    const { rules, errors } = await authorizer.rulesFor(user, namespace)
    return {
      resourceRules: rules
        .filter(({ resources }) => resources)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, resourceNames })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: errors.length > 0,
      ...(errors.length > 0 && { evaluationError: errors.join(', ') }),
    }
  },
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
})

const subjectRequired = invalidField('spec.user', '', 'at least one of user or group must be specified')

const subjectOf = ({ user, uid, groups, extra }: JsonObject): User => ({
  name: text(user),
  groups: texts(groups),
  ...(uid ? { uid: text(uid) } : {}),
  ...(isObject(extra) && {
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)])),
  }),
})

/** Fails with Invalid unless the review is about exactly one resource or path. */
const accessStatus = async (
  spec: JsonObject,
  user: User,
  { authorize }: Authorizer,
  problems: readonly FieldError[] = [],
) => {
  const { resourceAttributes, nonResourceAttributes } = spec
  const wrong = [...problems]
  if (resourceAttributes && nonResourceAttributes && problems.length === 0)
    wrong.push(
      invalidField(
        'spec.nonResourceAttributes',
        shownPath(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    )
  if (!resourceAttributes && !nonResourceAttributes)
    wrong.push(
      invalidField(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    )
  if (wrong.length > 0) throw invalid({ group: authorization, kind: '' }, undefined, wrong)
  const wanted = (resourceAttributes ?? nonResourceAttributes) as JsonObject
  const attributes = Boolean(resourceAttributes) && {
    resource: {
      group: text(wanted.group),
      version: text(wanted.version),
      resource: text(wanted.resource),
      subresource: text(wanted.subresource),
      namespace: text(wanted.namespace),
      name: text(wanted.name),
    },
  }
  const { allowed, reason } = await authorize({ user, verb: text(wanted.verb), path: text(wanted.path), ...attributes })
  return { allowed, ...(reason && { reason }) }
}

const shownPath = (attributes: unknown) => {
  const { path, verb } = isObject(attributes) ? attributes : {}
  return { Path: text(path), Verb: text(verb) }
}
