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
    title: /JSON patch, inapplicable/,
    part: /^body\.details\.causes: nothing/,
    why: 'Kubernetes does not say which operation failed, and why',
  },
  {
    title: /merge (an unknown field|a wrong type)/,
    part: /^(status|body\.(code|message|reason|details))/,
    why: 'Kubernetes repeats the whole patched object in the message, Secret data included',
  },
  {
    title: /^what one may do$/,
    part: /^body\.metadata\.managedFields: /,
    why: 'a review is never stored, so nobody owns its fields',
  },
]
