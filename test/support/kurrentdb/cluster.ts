import gossip from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_pb.js';
import type { ClusterInfo } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_pb.js';
import features from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js';
import type { SupportedMethods } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js';
import { uuidOf } from './messages.ts';

export type Endpoint = { address: string; port: number };

/** The members of a cluster, and which of them is the leader. */
export type Cluster = { members: readonly Endpoint[]; leader: Endpoint };

export const isLeader = (cluster: Cluster, { port }: Endpoint): boolean => cluster.leader.port === port;

const { FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState;

export const membersMessage = (cluster: Cluster): ClusterInfo => {
  const info = new gossip.ClusterInfo();
  for (const endpoint of cluster.members) {
    const at = new gossip.EndPoint();
    at.setAddress(endpoint.address);
    at.setPort(endpoint.port);
    const member = new gossip.MemberInfo();
    member.setInstanceId(uuidOf(crypto.randomUUID()));
    member.setTimeStamp('0');
    member.setState(isLeader(cluster, endpoint) ? LEADER : FOLLOWER);
    member.setIsAlive(true);
    member.setHttpEndPoint(at);
    info.addMembers(member);
  }
  return info;
};

const service = 'event_store.client.streams.streams';

export const featuresMessage = (version: string): SupportedMethods => {
  const supported = new features.SupportedMethods();
  supported.setEventStoreServerVersion(version);
  for (const name of ['read', 'append', 'batchappend']) {
    const method = new features.SupportedMethod();
    method.setServiceName(service);
    method.setMethodName(name);
    supported.addMethods(method);
  }
  return supported;
};
