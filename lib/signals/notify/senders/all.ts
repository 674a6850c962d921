import type { ProviderType } from '../../../foundations/kinds/provider.ts'
import type { ProviderAccess } from '../provider-access.ts'
import { toAzureEventHub } from './azure-event-hub.ts'
import {
  giteaPullRequestComment,
  githubDispatch,
  githubPullRequestComment,
  gitlabMergeRequestComment,
} from './change-request-comment.ts'
import { googleChat, lark, matrix, telegram, webex, zoom, zulip } from './chat.ts'
import { type CloudIdentities, isAwsAddress, toAws, toGooglePubSub } from './cloud.ts'
import { commitStatusSenders } from './commit-status.ts'
import { generic } from './generic.ts'
import { alertmanager, datadog, grafana, incidentIo, opsgenie, pagerduty } from './incidents.ts'
import { msteams } from './msteams.ts'
import { nats } from './nats.ts'
import { otel } from './otel.ts'
import type { Send } from './sender.ts'
import { sentry } from './sentry.ts'
import { discord, rocket, slack } from './slack.ts'

/** Selects the sender for a Provider. */
export type Senders = (access: ProviderAccess) => Send

/** The senders of all types of Providers; `cloud` has the identities for those of AWS, Azure and Google. */
export const createSenders = (cloud: CloudIdentities): Senders => {
  const aws = toAws(cloud)
  const byType: Readonly<Record<ProviderType, Send>> = {
    ...commitStatusSenders,
    generic,
    'generic-hmac': generic,
    slack,
    discord,
    rocket,
    msteams,
    googlechat: googleChat,
    googlepubsub: toGooglePubSub(cloud),
    webex,
    telegram,
    lark,
    matrix,
    zulip,
    zoom,
    pagerduty,
    opsgenie,
    'incident.io': incidentIo,
    sentry,
    alertmanager,
    grafana,
    datadog,
    otel,
    nats,
    azureeventhub: toAzureEventHub(cloud),
    githubdispatch: githubDispatch,
    githubpullrequestcomment: githubPullRequestComment,
    gitlabmergerequestcomment: gitlabMergeRequestComment,
    giteapullrequestcomment: giteaPullRequestComment,
  }
  return ({ type, address }) => (type === 'generic' && isAwsAddress(address) ? aws : byType[type])
}
