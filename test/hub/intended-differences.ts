/** Where the hub answers otherwise than kube-apiserver on purpose, with the reason. */

export interface IntendedDifference {
  /** The exchanges it is about, and the parts of their answers. */
  readonly title: RegExp
  readonly part: RegExp
  readonly why: string
}

export const intendedDifferences: readonly IntendedDifference[] = [
  {
    title: /./,
    part: /^body\.columnDefinitions\.\d+\.description: /,
    why: 'columns and fields are described in our own words',
  },
  {
    title: /^Kustomization: list as a table$/,
    part: /^body\.(columnDefinitions\.4: nothing \| \{"name":"Cluster"|rows\.\d+\.cells\.4: nothing \| "")/,
    why: 'a wide column tells the cluster of what applies to one',
  },
  {
    title: /JSON patch, inapplicable|an item by JSON patch|of a gadget \(json\)/,
    part: /^body\.details\.causes: nothing/,
    why: 'Kubernetes does not say which operation failed, and why',
  },
  {
    title: /merge (an unknown field|a wrong type)/,
    part: /^(status|body\.(code|message|reason|details))/,
    why: 'Kubernetes repeats the whole patched object in the message, Secret data included',
  },
  {
    title: /^what one may do$|^roles: (what .* may do|a (local )?question|a token)/,
    part: /^body\.metadata\.managedFields: /,
    why: 'a review is never stored, so nobody owns its fields',
  },
  {
    title: /^roles: (a role with no rules|roles as a table)$/,
    part: /metadata\.managedFields: /,
    why: 'an empty list of rules is as good as none, so nobody owns it',
  },
  {
    title: /^definitions: an object without a spec$/,
    part: /^body\.message: /,
    why: 'Kubernetes repeats an object without a kind in the message',
  },
  {
    title: /^roles: who may not impersonate$/,
    part: /^body\.message: /,
    why: 'Kubernetes writes a value of its programming language into the message',
  },
  {
    title: /^wrong types: (.* as (kind|apiVersion)|kind of a review)$/,
    part: /^body\.message: /,
    why: 'Kubernetes repeats the beginning of the body in the message',
  },
]
