import { textAt } from '../../foundations/kinds/json-path.ts'

/** Where forges and registries name the person whose push a payload describes. */
const paths: readonly (readonly string[])[] = [
  ['sender', 'login'], // GitHub, Gitea, Forgejo
  ['pusher', 'login'],
  ['pusher', 'username'], // Gogs
  ['user_username'], // GitLab
  ['actor', 'nickname'], // Bitbucket Cloud
  ['actor', 'name'], // Bitbucket Server
  ['resource', 'pushedBy', 'uniqueName'], // Azure DevOps
  ['push_data', 'pusher'], // Docker Hub
  ['operator'], // Harbor
]

const maxLength = 100

/** Who pushed, as the payload says: as trustworthy as the request. Undefined if it does not say. */
export const senderOf = (payload: unknown): string | undefined => {
  const name = paths.map(path => textAt(payload, ...path)).find(text => text !== '')
  return name?.replaceAll(/\p{C}/gu, '').slice(0, maxLength) || undefined
}
