import { domainIn, type HubContext } from './context.ts'

/** What an operator should know before each `cdk` command; printed, as `cdk destroy` does not show warnings of the stack. */
export const noticesFor = (context: HubContext): readonly string[] => [
  ...(domainIn(context)
    ? []
    : [
        `The URLs of the hub ${context.hubName} belong to its stack: after \`cdk destroy\`, or in another region, kubeconfigs and webhooks need new URLs. With a domainName they stay the same (docs/operations.md, Addresses).`,
      ]),
  ...(context.urlConcurrency > 0
    ? []
    : [
        'urlConcurrency is 0: all functions share the concurrency of the account. With the quota of 10 of a new account a few watches (two functions each) block reconciles, and a flood of requests blocks everything. Request the usual 1000 from AWS: it is free (docs/operations.md, Limits).',
      ]),
]
