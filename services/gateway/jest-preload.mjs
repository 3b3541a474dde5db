// Jest preload for tests of the gateway: without it, CommonJS add-ons of Nest are required in the middle of its own loading and die in the cycle.
import "reflect-metadata";
import "@nestjs/common";
import "@nestjs/core";
